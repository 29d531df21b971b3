import type { Intervention } from "../../src/domain/intervention.ts";
import type { Happening, PlayedZone, Week } from "./building.ts";
import { PlayedSite } from "./played-site.ts";
import { INPUTS_TOPIC, REVIEWS_TOPIC } from "./additions.ts";
import { Story, type Edit, type Observation, type Span } from "./story.ts";

/** Delay of the observation after each event. */
const OBSERVATION_DELAY_MS = 14_000;
const NOTES_LONGEST = 4000;
/** Start time of a machine without a battery clock. */
const WRONG_BY_1970 = -Date.UTC(2026, 10, 20);

/** Runs a week. @returns the events and the observations */
export async function play(week: Week): Promise<Story> {
  const player = new Player(week);
  try {
    await player.begin();
    const startMs = player.site.world.nowMs;
    let putOffMs = 0;
    for (const { atMs, happening } of week.happenings) {
      const dueMs = startMs + atMs + putOffMs;
      if (week.isPutOff && player.site.world.nowMs > dueMs)
        putOffMs += player.site.world.nowMs - dueMs + 1_000;
      await player.goTo(startMs + atMs + putOffMs);
      await player.happen(happening);
    }
    await player.end();
  } finally {
    await player.site.close();
  }
  return player.story;
}

class Player {
  readonly site: PlayedSite;
  readonly story: Story;
  readonly #open = new Set<string>();
  #isArmed = true;
  #isKeyTurned = true;
  #texts = 0;
  #isLookDue = false;
  /** Number of events of each camera. */
  readonly #reviews = new Map<string, number>();

  constructor(week: Week) {
    this.site = new PlayedSite(week.building);
    this.story = new Story(week);
  }

  get #nowMs(): number {
    return this.site.world.nowMs;
  }

  get #zones(): readonly PlayedZone[] {
    return this.story.week.building.zones;
  }

  async begin(): Promise<void> {
    const { site, story } = this;
    await site.open();
    this.#sayAll();
    site.broker.say("panel/state", JSON.stringify({ armed: true }), { retain: true });
    this.#changeClock(0);
    story.runs.push({ fromMs: this.#nowMs, isBoot: true, untilMs: Infinity });
    await site.start({ wrongByMs: 0 });
    await site.pass(180_000);
  }

  /** Advances to a time, with observations on the way and right before it. */
  async goTo(atMs: number): Promise<void> {
    if (this.#isLookDue) {
      this.#isLookDue = false;
      await this.site.pass(Math.max(0, Math.min(OBSERVATION_DELAY_MS, atMs - this.#nowMs)));
      await this.#observe();
    }
    for (const endMs of this.#holdEnds(atMs)) {
      await this.site.pass(endMs + OBSERVATION_DELAY_MS - this.#nowMs);
      await this.#observe();
    }
    const restMs = atMs - this.#nowMs;
    if (restMs > 60_000) {
      await this.site.pass(restMs - 5_000);
      await this.#observe();
    }
    await this.site.pass(Math.max(0, atMs - this.#nowMs));
  }

  /** Ends of bypasses, walk tests and scheduled pauses before a time, far enough from it for an observation. */
  #holdEnds(beforeMs: number): number[] {
    const { bypasses, walkTests } = this.story;
    const ends = [...bypasses, ...walkTests].map(({ untilMs }) => untilMs);
    const day = 86_400_000;
    // The time of 18:00 in Bucharest by a right clock.
    for (let atMs = Math.floor(this.#nowMs / day) * day + 16 * 3_600_000; atMs < beforeMs; atMs += day)
      ends.push(atMs);
    return ends
      .filter((atMs) => atMs > this.#nowMs && atMs + OBSERVATION_DELAY_MS + 6_000 < beforeMs)
      .sort((a, b) => a - b)
      .filter(
        (atMs, index, all) => index === 0 || atMs - (all[index - 1] ?? 0) > OBSERVATION_DELAY_MS + 1_000,
      );
  }

  async happen(happening: Happening): Promise<void> {
    const { what } = happening;
    this.story.tell(this.#nowMs, describe(happening));
    this.#isLookDue = true;
    if (what === "open" || what === "close") this.#move(happening.zone, what === "open");
    else if (what === "repeat") this.#repeat(happening.zone);
    else if (what === "lost-acknowledgements") await this.#loseAcknowledgements(happening.zone);
    else if (what === "arm" || what === "disarm") this.#arm(happening.gate, what === "arm");
    else if (what === "edit" || what === "done" || what === "delete" || what === "re-open")
      await this.#edit(happening);
    else if (what === "noise") this.#noise();
    else if (what === "reload") await this.#reload(happening);
    else if (what === "bypass" || what === "restore" || what === "walk-test" || what === "end-walk-test")
      await this.#order(happening);
    else await this.#machine(happening);
    await this.site.settle();
  }

  #move(id: string, isOpen: boolean): void {
    const zone = this.story.zone(id);
    if (isOpen === this.#open.has(id) && !zone.isPulse) return;
    if (zone.isPulse && !isOpen) return;
    if (isOpen) this.#open.add(id);
    else this.#open.delete(id);
    this.story.contacts.push({ zone: id, isOpen, atMs: this.#nowMs });
    if (zone.topic === undefined) this.site.lines.set(zone.line, isOpen ? 1 : 0);
    else if (zone.style === "review") this.#review(zone, isOpen ? "new" : "end");
    else if (zone.style === "input") this.#input(zone);
    else this.#say(zone.topic, zone);
    if (zone.isPulse) this.#open.delete(id);
  }

  #input({ id, line }: PlayedZone, times = 1): void {
    const state = this.#open.has(id) ? "on" : "off";
    this.site.broker.say(INPUTS_TOPIC, JSON.stringify({ id: line, state }), { times });
  }

  /** Message of a camera about an event: new, update or end. */
  #review({ id }: PlayedZone, type: "new" | "update" | "end"): void {
    const nth = (this.#reviews.get(id) ?? 0) + (type === "new" ? 1 : 0);
    this.#reviews.set(id, nth);
    if (type === "update") this.#open.add(id);
    const after = { camera: id, id: `${id}-${nth}` };
    this.site.broker.say(REVIEWS_TOPIC, JSON.stringify({ type, after }));
  }

  /** Every device publishes its contacts; a camera only that there is no event. */
  #sayAll(): void {
    const contacts = this.#zones.filter(({ style }) => style === "contact");
    for (const topic of new Set(contacts.map((zone) => zone.topic)))
      if (topic !== undefined) this.#say(topic);
    for (const zone of this.#zones) {
      if (zone.style === "input") this.#input(zone);
      if (zone.style === "review" && !this.#open.has(zone.id)) this.#review(zone, "end");
    }
  }

  #noise(): void {
    const { broker } = this.site;
    broker.say(INPUTS_TOPIC, JSON.stringify({ id: 99, state: "on" }));
    for (const { id } of this.#zones)
      broker.say(REVIEWS_TOPIC, JSON.stringify({ type: "new", after: { camera: id, id: "x", test: true } }));
    broker.say(REVIEWS_TOPIC, JSON.stringify({ type: "new", after: { camera: "another", id: "y" } }));
  }

  async #reload({ how, zone }: Extract<Happening, { what: "reload" }>): Promise<void> {
    const { site, story } = this;
    if (!site.isRunning || (how !== "break" && site.has(zone) === (how === "add"))) return;
    const atMs = this.#nowMs;
    const status = await site.reload(how, zone);
    story.reloads.push({ atMs, how, status });
    story.tell(this.#nowMs, `  … answered with ${status}`);
    if (how === "remove") {
      story.absences.push({ zone, fromMs: atMs, untilMs: Infinity });
      endSpans(ofZone(story.bypasses, zone), atMs);
    }
    if (how === "add") endSpans(ofZone(story.absences, zone), this.#nowMs);
  }

  /** Message of a device with all of its contacts; a pulse is included only right after it. */
  #say(topic: string, moved?: PlayedZone, times = 1): void {
    const fields = this.#zones
      .filter((zone) => zone.topic === topic && zone.style === "contact" && (!zone.isPulse || zone === moved))
      .map(({ id, field }) => [field, !this.#open.has(id)]);
    const isPulse = moved?.isPulse === true;
    if (fields.length > 0)
      this.site.broker.say(topic, JSON.stringify(Object.fromEntries(fields)), { retain: !isPulse, times });
  }

  #repeat(id: string): void {
    const zone = this.story.zone(id);
    const { topic, isPulse, style } = zone;
    if (topic === undefined || isPulse) return;
    if (style === "review") this.#review(zone, "update");
    else if (style === "input") this.#input(zone, 2);
    else this.#say(topic, undefined, 2);
  }

  async #loseAcknowledgements(id: string): Promise<void> {
    const { broker } = this.site;
    if (!this.site.isRunning || broker.isAway) return;
    const { topic, isPulse } = this.story.zone(id);
    if (topic === undefined || isPulse) return;
    broker.losesAcks = true;
    const before = broker.subscriptions;
    this.#move(id, !this.#open.has(id));
    for (let turn = 0; turn < 20; turn += 1)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    broker.drop();
    broker.losesAcks = false;
    await this.site.untilSubscribed(before);
  }

  #arm(gate: "mqtt" | "gpio", isArmed: boolean): void {
    if (gate === "mqtt") {
      if (this.#isArmed === isArmed) return;
      this.#isArmed = isArmed;
      this.site.broker.say("panel/state", JSON.stringify({ armed: isArmed }), { retain: true });
    } else {
      if (this.#isKeyTurned === isArmed) return;
      this.#isKeyTurned = isArmed;
      this.site.lines.set(27, isArmed ? 1 : 0);
      this.story.keys.push({ atMs: this.#nowMs, isArmed });
    }
  }

  async #order(
    happening: Extract<Happening, { what: "bypass" | "restore" | "walk-test" | "end-walk-test" }>,
  ): Promise<void> {
    if (!this.site.isRunning) return;
    const { story } = this;
    const { what } = happening;
    const atMs = this.#nowMs;
    const bodies = {
      bypass: () => [
        "POST",
        `/site/zones/${"zone" in happening ? happening.zone : ""}/bypass`,
        { reason: "zugravi", minutes: "minutes" in happening ? happening.minutes : 1 },
      ],
      restore: () => ["POST", `/site/zones/${"zone" in happening ? happening.zone : ""}/restore`, undefined],
      "walk-test": () => [
        "POST",
        "/site/walk-test",
        { minutes: "minutes" in happening ? happening.minutes : 1 },
      ],
      "end-walk-test": () => ["POST", "/site/walk-test", { end: true }],
    };
    const [method, path, body] = bodies[what]() as unknown as readonly ["POST", string, unknown];
    const { status, value } = await this.site.ask(method, path, body);
    story.answers.push({ atMs, what, value });
    if (status !== 200) return;
    if (what === "bypass" || what === "restore") endSpans(ofZone(story.bypasses, happening.zone), atMs);
    else endSpans(story.walkTests, atMs);
    if (what === "bypass")
      story.bypasses.push({ zone: happening.zone, fromMs: atMs, untilMs: atMs + happening.minutes * 60_000 });
    if (what === "walk-test")
      story.walkTests.push({ fromMs: atMs, untilMs: atMs + happening.minutes * 60_000 });
  }

  async #edit(
    happening: Extract<Happening, { what: "edit" | "done" | "delete" | "re-open" }>,
  ): Promise<void> {
    const { side, nth, what } = happening;
    if (side === "site" && !this.site.isRunning) return;
    const records = side === "site" ? await this.#records() : [...this.site.centre.records.values()];
    const record = records.at(-1 - nth);
    if (!record) return;
    const before = record.notes ?? "";
    const words = what === "edit" ? `Notă ${(this.#texts += 1)}: s-a sunat paznicul.` : "";
    const how = what === "edit" ? happening.how : what;
    const notes = what === "edit" ? edited(before, words, happening.how) : undefined;
    const changes = notes !== undefined ? { notes } : { status: what === "done" ? "done" : "in_progress" };
    if (side === "centre") {
      if (what === "delete") this.site.centre.records.delete(record.id);
      else this.site.centre.change(record.id, changes);
    } else {
      const method = what === "delete" ? "DELETE" : "PUT";
      const body = what === "delete" ? undefined : changes;
      const { status } = await this.site.ask(method, `/interventii/${record.id}`, body);
      if (status >= 300) return;
    }
    const edit: Edit = {
      atMs: this.#nowMs,
      side,
      id: record.id,
      how,
      words,
      before: textOf(record),
      after: notes ?? null,
    };
    this.story.edits.push(edit);
    this.story.tell(this.#nowMs, `  … of "${record.name}" (${record.id})`);
  }

  async #machine(happening: Happening): Promise<void> {
    const { site, story } = this;
    const { what } = happening;
    if (what === "restart") {
      this.#ended();
      await site.stop();
      await site.pass(3_000);
      await this.#started(undefined);
    } else if (what === "power-cut") await this.#powerCut(happening);
    else if (what === "broker-away" && !site.broker.isAway) {
      site.broker.isAway = true;
      site.broker.sentAway = 0;
      site.broker.drop();
      await site.until(() => site.broker.sentAway > 0);
      story.brokerAway.push({ fromMs: this.#nowMs, untilMs: Infinity });
    } else if (what === "broker-back") await this.#brokerBack();
    else if (what === "sensors-reconnect") this.#sayAll();
    if (what === "centre-line") site.centre.line = happening.line;
    if (what === "clock") this.#changeClock(happening.byS * 1000);
  }

  async #brokerBack(): Promise<void> {
    const { broker } = this.site;
    if (!broker.isAway) return;
    const before = broker.subscriptions;
    broker.isAway = false;
    await this.site.untilSubscribed(before);
    endSpans(this.story.brokerAway, this.#nowMs);
  }

  async #powerCut({ forS, amid }: Extract<Happening, { what: "power-cut" }>): Promise<void> {
    const { site } = this;
    const happens = async (): Promise<void> => {
      if (!amid) return;
      this.#move(amid.zone, !this.#open.has(amid.zone));
      await site.settle();
      if (site.isRunning) await site.pass(1_500);
    };
    if (!(amid !== null && (await site.losePowerAmid(amid.instant, happens)))) await site.losePower();
    this.story.tell(this.#nowMs, "  … the power is gone");
    this.#ended();
    await site.pass(forS * 1000);
    await this.#started({ wrongByMs: this.story.week.building.startsIn1970 ? WRONG_BY_1970 : 0 });
    if (!this.story.week.building.startsIn1970) return;
    await site.pass(40_000);
    this.#changeClock(0);
  }

  #ended(): void {
    const run = this.story.runs.at(-1);
    if (run) run.untilMs = this.#nowMs;
  }

  async #started(boot: { readonly wrongByMs: number } | undefined): Promise<void> {
    if (boot) this.story.clocks.push({ atMs: this.#nowMs, wrongByMs: boot.wrongByMs });
    this.story.runs.push({ fromMs: this.#nowMs, isBoot: boot !== undefined, untilMs: Infinity });
    await this.site.start(boot);
  }

  #changeClock(wrongByMs: number): void {
    this.site.clock.set(wrongByMs);
    this.story.clocks.push({ atMs: this.#nowMs, wrongByMs });
  }

  async #records(): Promise<Intervention[]> {
    return (await this.site.ask("GET", "/interventii")).value as Intervention[];
  }

  async #observe(): Promise<void> {
    const status = (await this.site.ask("GET", "/site/status")).value as Observation["status"];
    const centre = [...this.site.centre.records.values()];
    this.story.observations.push({ atMs: this.#nowMs, records: await this.#records(), centre, status });
  }

  /** The quiet phase: no faults, and enough time for everything. */
  async end(): Promise<void> {
    const { site, story } = this;
    await this.goTo(this.#nowMs + OBSERVATION_DELAY_MS + 1_000);
    site.centre.line = "up";
    await this.#brokerBack();
    await site.pass(140_000);
    await site.pass(7_200_000);
    await this.#observe();
    story.stuck = site.stuck;
    story.taken = site.broker.taken;
    const read = async (path: string): Promise<unknown> => (await site.ask("GET", path)).value;
    story.trips = (await read("/site/trips?limit=1000")) as Story["trips"];
    story.history = (await read("/site/zones/history?hours=744")) as Story["history"];
    story.journal = (await read("/site/journal?limit=1000")) as Story["journal"];
  }
}

export function textOf({
  name,
  description,
  notes,
}: Pick<Intervention, "name" | "description" | "notes">): string {
  return [name, description ?? "", notes ?? ""].join("\n");
}

function edited(before: string, words: string, how: "append" | "prepend" | "replace" | "fill"): string {
  const whole = {
    append: () => `${before}\n${words}`,
    prepend: () => `${words}\n${before}`,
    replace: () => words,
    fill: () => `${before}\n${words} `.padEnd(NOTES_LONGEST - 60, "x"),
  }[how]();
  return whole.slice(0, NOTES_LONGEST - 60);
}

function ofZone(spans: readonly Span[], id: string): Span[] {
  return spans.filter(({ zone }) => zone === id);
}

function endSpans(spans: readonly { untilMs: number }[], atMs: number): void {
  for (const span of spans) span.untilMs = Math.min(span.untilMs, atMs);
}

function describe({ what, ...more }: Happening): string {
  return `${what} ${Object.values(more)
    .map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value)))
    .join(" ")}`.trimEnd();
}
