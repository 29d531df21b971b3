import type { OutboxEntry } from "../../src/domain/outbox.ts";
import { fieldsOf, type Intervention, type InterventionFields } from "../../src/domain/intervention.ts";
import { DEVICE_EMAIL, type Principal } from "../../src/domain/principal.ts";
import { DEFAULT_SYNC_TIMEOUTS, type SyncTimeouts } from "../../src/domain/backoff.ts";
import { ManualClock } from "../support/manual-clock.ts";
import type { Build } from "./build.ts";
import { FaultyCentre, type CentreRow } from "./faulty-centre.ts";
import { Random } from "./random.ts";
import { SimulatedSite } from "./simulated-site.ts";

export interface Report {
  readonly seed: number;
  /** Problems in the final state; empty if each record is at the dispatch centre exactly once. */
  readonly problems: readonly string[];
  readonly records: number;
  readonly crashes: number;
  /** Ends of the records thread, and calls that these left without an answer. */
  readonly ends: number;
  readonly unanswered: number;
  readonly ambiguous: number;
  readonly late: number;
  readonly requests: number;
}

export interface SimulationOptions {
  readonly build: Build;
  readonly seed: number;
  readonly timeouts?: Partial<SyncTimeouts>;
  readonly records?: number;
  /** Whether the records are called by messages to a thread that ends now and then. */
  readonly hasThreads?: boolean;
  /** Called with a line per step, to trace one seed. */
  readonly trace?: (line: string) => void;
}

/** Shorter sweep intervals than in production, so that a run ends sooner. */
const SIMULATED_TIMEOUTS: SyncTimeouts = { ...DEFAULT_SYNC_TIMEOUTS, sweepDelaysMs: [400_000, 600_000] };
/** Random numbers of the threads, which leave those of the run as they are. */
const THREADS_SEED = 1_000_000;
const OPERATOR: Principal = { accountId: 1, email: "a@b.example", role: "operator", from: "127.0.0.1" };
const NAMES = ["Intrusion", "Smoke", "Patrol"];
/** Every third seed above this one has a third-party dispatch centre. */
const FOREIGN_FROM = 6_000;
/** Seeds with delayed reads, and seeds whose dispatch centre has a single page. */
const isSlowReader = (seed: number): boolean => seed % 7 === 6;
const isPageless = (seed: number): boolean => seed % 8 === 7;
const STATUS = ["planned", "in_progress", "done"] as const;

/**
 * Runs one seed: two sites, a dispatch centre, dispatchers, faults and power cuts, then a quiet phase, then the
 * check.
 */
export async function simulate(options: SimulationOptions): Promise<Report> {
  const { build, seed, timeouts = {}, records = 12, hasThreads = false, trace } = options;
  const threads = hasThreads ? new Random(seed + THREADS_SEED) : undefined;
  const ports = { random: new Random(seed), threads, timeouts: { ...SIMULATED_TIMEOUTS, ...timeouts } };
  const world = new World(build, seed, ports, records);
  if (trace) world.follow(trace);
  await world.trouble();
  await world.peace();
  const { centre, sites } = world;
  return {
    seed,
    problems: [...centre.violations, ...world.problems, ...sites.flatMap((site) => world.reckon(site))],
    records: world.made,
    crashes: sites.reduce((sum, { site }) => sum + site.crashes, 0),
    ends: sites.reduce((sum, { site }) => sum + (site.thread?.counts.ends ?? 0), 0),
    unanswered: sites.reduce((sum, { site }) => sum + (site.thread?.counts.unanswered ?? 0), 0),
    ...centre.counts,
  };
}

/** What chance and time decide in a run. */
interface Ports {
  readonly random: Random;
  readonly threads: Random | undefined;
  readonly timeouts: SyncTimeouts;
}

interface Player {
  readonly ref: string;
  readonly site: SimulatedSite;
  readonly ids: number[];
  /** The last description written on site, by record. */
  readonly words: Map<number, string>;
  /** The last call for each record: a client waits for the answer before it changes the record again. */
  readonly calls: Map<number, Promise<void>>;
}

class World {
  readonly centre: FaultyCentre;
  readonly sites: readonly Player[];
  made = 0;
  readonly #clock = new ManualClock();
  readonly #random: Random;
  readonly #records: number;
  readonly #restores: boolean;
  readonly #isForeign: boolean;
  #tell: (line: string) => void = () => {};
  /** Rows that a dispatcher has changed. */
  readonly #touched = new Set<number>();
  /** References of records deleted by a dispatcher, and of those that a trip has joined since. */
  readonly #deletedMarks = new Set<string>();
  readonly #wanted = new Set<string>();
  /** Number of rows deleted by a dispatcher. */
  #deletedThere = 0;
  #isClockSet = false;
  /** The highest id right after the restore. */
  #idsRestored = 0;
  /** Calls of the records without an answer. */
  #pending = 0;
  readonly problems: string[] = [];

  constructor(build: Build, seed: number, { random, threads, timeouts }: Ports, records: number) {
    this.#random = random;
    this.#records = records;
    this.#restores = random.chance(0.2);
    const clock = this.#clock;
    // Derived from the seed, so that earlier seeds keep their runs.
    const isForeign = seed % 3 === 0 && seed > FOREIGN_FROM;
    this.#isForeign = isForeign;
    const honoursKeys = random.chance(0.3);
    this.centre = new FaultyCentre(
      {
        honoursKeys,
        reportsDeletions: honoursKeys && !isForeign,
        pageRows: random.pick([3, 7, 25, 1000]),
        ignoresOrder: random.chance(0.1),
        wrapper: random.pick([undefined, undefined, "data", "items"]),
        rewritesDates: random.chance(0.2),
        faultRate: random.pick([0.05, 0.25, 0.25, 0.6]),
        givesIdsAgain: isForeign,
        hasGateway: isForeign,
        readLagMs: isSlowReader(seed) ? 1_000 + (seed % 10) * 1_000 : 0,
        ignoresStart: isPageless(seed),
      },
      clock,
      random,
    );
    const crashRate = random.pick([0, 0.01, 0.04]);
    this.sites = ["nord", "sud"].map((ref) => {
      const { centre } = this;
      const site = new SimulatedSite({ build, ref, centre, clock, random, timeouts, crashRate, threads });
      return { ref, site, ids: [], words: new Map(), calls: new Map() };
    });
  }

  follow(trace: (line: string) => void): void {
    this.#tell = (line) => trace(`${(this.#clock.monotonicMs() / 1000).toFixed(1)} ${line}`);
    this.centre.tell = this.#tell;
  }

  /** The phase with faults. */
  async trouble(): Promise<void> {
    const random = this.#random;
    for (const { site } of this.sites) site.start();
    const actions = this.#records * 6;
    const restoreAt = random.between(actions / 3, actions - 1);
    if (random.chance(0.3)) this.centre.unknownObjectives.add(3);
    for (let action = 0; action < actions; action += 1) {
      await this.#pass(random.between(0, random.pick([50, 500, 5_000, 30_000, 120_000])));
      if (this.#restores && action === Math.floor(restoreAt / 2)) this.centre.takeBackup();
      if (this.#restores && action === restoreAt) await this.#restore();
      await this.#act(random.pick(this.sites));
    }
  }

  /** The quiet phase: no faults, no power cuts and no new changes. */
  async peace(): Promise<void> {
    this.centre.isFaulty = false;
    this.centre.isCut = false;
    this.centre.unknownObjectives.clear();
    for (const { site } of this.sites) site.isPowerSafe = true;
    await this.#pass(960_000);
    for (const { site } of this.sites)
      for (const { interventionId } of site.outbox.inPhases(["rejected"], 1000))
        site.push?.operator.retry(interventionId);
    // After a restore a site compares all its records with the centre's list within 66 minutes, and sends what is missing.
    await this.#pass(this.#restores ? 4_300_000 : 2_400_000);
    if (this.#pending > 0) this.problems.push(`${this.#pending} calls have no answer`);
  }

  /** A call of the records, which may take long. */
  async #follow(call: Promise<unknown>): Promise<void> {
    this.#pending += 1;
    try {
      await call;
    } catch (error) {
      this.problems.push(`a call failed: ${String(error)}`);
    } finally {
      this.#pending -= 1;
    }
  }

  /** A change of one record, after the earlier ones. */
  #change({ calls }: Player, id: number, change: () => Promise<unknown>): void {
    const earlier = calls.get(id) ?? Promise.resolve();
    calls.set(id, this.#follow(earlier.then(change)));
  }

  async #pass(ms: number): Promise<void> {
    const endMs = this.#clock.monotonicMs() + ms;
    do await new Promise(setImmediate);
    while (this.#clock.advanceToNext(endMs - this.#clock.monotonicMs()));
    this.#clock.advance(Math.max(0, endMs - this.#clock.monotonicMs()));
  }

  /** An outage of an afternoon. */
  async #restore(): Promise<void> {
    this.#tell("the centre is restored from its backup");
    this.centre.isCut = true;
    this.centre.restoreBackup();
    this.#idsRestored = Math.max(0, ...this.centre.rows.keys());
    await this.#pass(this.#random.between(120_000, 600_000));
    this.centre.isCut = false;
  }

  async #act(player: Player): Promise<void> {
    const random = this.#random;
    const dice = random.next();
    if (dice < 0.3) this.#create(player);
    else if (dice < 0.55) this.#editHere(player);
    else if (dice < 0.6) this.#deleteHere(player);
    else if (dice < 0.8) this.#dispatch();
    else if (dice < 0.85) this.centre.isCut = !this.centre.isCut && random.chance(0.3);
    else if (dice < 0.88) player.site.crash();
    else if (dice > 0.96 && this.#isForeign) this.#type();
    else if (dice < 0.9 && this.sites.every(({ site }) => site.push)) await this.#setClock();
  }

  /** Steps the clock while both sites run, which detect it. */
  async #setClock(): Promise<void> {
    const stepMs = this.#random.pick([-3_600_000, -20_000, 90_000, 30 * 86_400_000]);
    this.#isClockSet = true;
    this.#tell(`the clock is set by ${stepMs} ms`);
    for (const { site } of this.sites) site.isPowerSafe = true;
    this.#clock.stepWall(stepMs);
    await this.#pass(16_000);
    for (const { site } of this.sites) site.isPowerSafe = false;
  }

  #create({ site, ids, words, ref }: Player): void {
    const random = this.#random;
    if (ids.length >= this.#records) return;
    this.made += 1;
    const notes = random.chance(0.5) ? `seen ${this.made}` : null;
    const body = {
      name: random.pick(NAMES),
      objectiveType: "obiective/cladiri",
      // Each site has its own buildings; alarms at one building look alike.
      objectiveId: random.between(1, 3) + (ref === "nord" ? 0 : 3),
      priority: random.pick(["low", "medium", "high"] as const),
      dateStart: random.chance(0.7) ? "2026-11-20T21:30:00Z" : null,
      notes,
    } as const;
    const key = { key: `${ref}-key-${this.made}`, fingerprint: "f" };
    const created = ({ record }: { readonly record: Intervention }): void => {
      this.#tell(`${ref} has made ${record.id}`);
      ids.push(record.id);
      words.set(record.id, "");
    };
    if (!site.thread) return created(site.interventions.create(body, OPERATOR, key));
    void this.#follow(site.thread.call((records) => records.create(body, OPERATOR, key)).then(created));
  }

  /** Creates a record at the dispatch centre that is similar to one of ours in every likely field. */
  #type(): void {
    const random = this.#random;
    const { id } = this.centre.type({
      name: random.pick(NAMES),
      objectiveType: "obiective/cladiri",
      objectiveId: random.between(1, 6),
      priority: "high",
      status: "planned",
      type: "maintenance",
      crews: 1,
      dateStart: null,
      notes: null,
    });
    this.#tell(`a person types in ${id}`);
  }

  #editHere(player: Player): void {
    const { ref, site, ids, words } = player;
    const random = this.#random;
    const id = random.pick(ids);
    if (id === undefined || words.get(id) === undefined) return;
    const { record } = site.interventions.get(id);
    const description = `word ${random.between(1, 1_000_000)}`;
    words.set(id, description);
    const further = random.chance(0.2)
      ? { status: STATUS[STATUS.indexOf(record.status) + 1] ?? record.status }
      : {};
    const priority = random.chance(0.2) ? { priority: random.pick(["low", "medium", "high"] as const) } : {};
    // No random draw, so that the regression seeds stay the same.
    const hasTripJoined = Number(description.slice(5)) % 3 === 0;
    this.#tell(`${ref} edits ${id}: ${description}${hasTripJoined ? ", a trip" : ""}`);
    const body = { description, ...further, ...priority };
    const { thread } = site;
    const by = hasTripJoined ? { ...OPERATOR, email: DEVICE_EMAIL } : OPERATOR;
    const request = { body, hasTripJoined };
    if (!thread) site.interventions.change(id, request, by);
    else this.#change(player, id, () => thread.call((records) => records.change(id, request, by)));
    const mark = `${ref}-${storedOf(site, id).uid}`;
    if (hasTripJoined && this.#deletedMarks.has(mark)) this.#wanted.add(mark);
  }

  #deleteHere(player: Player): void {
    const { ref, site, ids, words } = player;
    const id = this.#random.pick(ids);
    if (id === undefined || words.get(id) === undefined) return;
    words.delete(id);
    this.#tell(`${ref} deletes ${id}`);
    const { thread } = site;
    if (!thread) return void site.interventions.delete(id, OPERATOR);
    this.#change(player, id, () =>
      thread
        .call((records) => records.remove(id, undefined, OPERATOR))
        .catch((error: unknown) => {
          // An earlier call has removed it and had no answer.
          if ((error as { code?: unknown }).code !== "not-found") throw error;
        }),
    );
  }

  #dispatch(): void {
    const random = this.#random;
    const row = random.pick([...this.centre.rows.values()]);
    // After a clock step the last read of a done record may be too long ago.
    if (!row || (this.#isClockSet && row["status"] === "done")) return;
    const dice = random.next();
    this.#touched.add(row.id);
    this.#tell(`a dispatcher touches ${row.id} ${dice}`);
    if (dice < 0.1 && !this.#restores) {
      this.#deletedThere += 1;
      const mark = /\[ref:([^\]]+)\]/.exec(String(row["notes"]))?.[1];
      if (mark !== undefined) this.#deletedMarks.add(mark);
      this.#wanted.delete(mark ?? "");
      this.centre.remove(row.id);
    } else if (dice < 0.2 && row["dateStart"] !== null && this.#isLinked(row.id))
      this.centre.edit(row.id, { notes: "called the owner" });
    else if (dice < 0.5)
      this.centre.edit(row.id, { status: STATUS[STATUS.indexOf(row["status"] as "done") + 1] ?? "done" });
    else this.centre.edit(row.id, { crews: random.between(2, 9), police: random.chance(0.5) });
  }

  /** Whether a site recognises the row as its own; a duplicate without a reference cannot be recognised. */
  #isLinked(id: number): boolean {
    return !this.#restores && this.sites.some(({ site }) => site.outbox.findByUpstreamId(id) !== undefined);
  }

  /** Problems in the final state. */
  reckon({ ref, site, ids, words }: Player): string[] {
    const problems: string[] = [];
    const made = site.database.prepare("SELECT count(*) FROM interventions").pluck().get() as number;
    if (made !== ids.length || new Set(ids).size !== ids.length)
      problems.push(`${ref}: ${made} records of ${ids.length} calls`);
    const say = (id: number, what: string): void => {
      const { phase, upstreamId, attempts, lastError } = site.outbox.find(id) ?? {};
      problems.push(`${ref} ${id} (${phase} ${upstreamId} ${attempts} ${lastError}): ${what}`);
    };
    const ours = [...this.centre.rows.values()].filter(({ id }) => this.centre.makers.get(id) === ref);
    const known = new Set<number>();
    // A record lost by a restore can look deleted by a dispatcher at first; it is shown as that. Only an id that is assigned again
    // proves the restore, and none is if it comes after the last record.
    const isProven = [...this.centre.rows.keys()].some((id) => id > this.#idsRestored);
    const lostMax = isProven ? 2 : ids.length;
    let goneLeft = this.#restores ? lostMax : this.#deletedThere;
    for (const id of ids) {
      const entry = site.outbox.find(id);
      const { uid } = storedOf(site, id);
      const copies = ours.filter(
        (row) => row.id === entry?.upstreamId || String(row["notes"]).includes(`[ref:${ref}-${uid}]`),
      );
      for (const copy of copies) known.add(copy.id);
      if (words.get(id) === undefined) {
        if (copies.length > 0 && !this.#restores)
          say(id, `deleted here, and there as ${copies.map((row) => row.id).join(", ")}`);
        continue;
      }
      const isWanted = this.#wanted.has(`${ref}-${uid}`);
      // A record that was done on both sides is closed without attention.
      const isDone = entry?.phase === "closed" && site.interventions.get(id).record.status === "done";
      if ((entry?.phase === "gone" || isDone) && copies.length === 0 && goneLeft > 0 && !isWanted) {
        goneLeft -= 1;
        continue;
      }
      // A list that shows neither presence nor absence of a record leaves it unconfirmed with a condition, and
      // users decide. It must not be there twice.
      if (copies.length <= 1 && !this.centre.isProvable && isInDoubt(entry)) continue;
      if (entry?.phase !== "linked" || entry.wantRev !== entry.syncedRev) say(id, "is not at rest");
      // Two duplicates with changes by dispatchers remain, with a condition.
      if (copies.length > 1 && copies.every((row) => this.#touched.has(row.id)) && isReported(site, id))
        continue;
      if (copies.length !== 1)
        say(id, `is there ${copies.length} times: ${copies.map((row) => row.id).join(", ")}`);
      const [copy] = copies;
      // After a clock step of a month a record that was done is no longer read, so the older state of a restored centre stays.
      const isOld = this.#isClockSet && this.#restores && site.interventions.get(id).record.status === "done";
      if (copy && !isOld)
        problems.push(
          ...this.#compare(`${ref} ${id}`, site.interventions.get(id).record, copy, words.get(id) ?? ""),
        );
    }
    for (const row of ours)
      if (!known.has(row.id)) problems.push(`${ref}: ${row.id} there has no owner: ${JSON.stringify(row)}`);
    return problems;
  }

  #compare(what: string, record: Intervention, row: CentreRow, words: string): string[] {
    const here = fieldsOf(record);
    const there = { ...row, notes: unmarked(row["notes"]) } as unknown as InterventionFields;
    const fields = (Object.keys(here) as (keyof InterventionFields)[]).filter(
      (field) => plain(here[field]) !== plain(there[field]),
    );
    const problems = fields.map(
      (field) => `${what}: ${field} is ${here[field]} here and ${there[field]} there`,
    );
    // Old values of a restored dispatch centre count as changes by a dispatcher; the site cannot distinguish
    // them.
    if (!this.#restores && (here.description ?? "") !== words)
      problems.push(`${what}: "${words}" was written here and is now "${here.description}"`);
    return problems;
  }
}

function storedOf(site: SimulatedSite, id: number): { uid: string } {
  return site.database.prepare("SELECT uid FROM interventions WHERE id = ?").get(id) as { uid: string };
}

function isInDoubt(entry: OutboxEntry | undefined): boolean {
  return entry?.phase === "unsure" || (entry?.phase === "linked" && entry.missingSinceMs !== null);
}

function isReported(site: SimulatedSite, id: number): boolean {
  const told =
    "SELECT 1 FROM events WHERE event = 'sync-conflict' AND subject = ? AND json_extract(detail, '$.conflict') = 'duplicates'";
  return site.database.prepare(told).get(`intervention ${id}`) !== undefined;
}

function plain(value: unknown): unknown {
  return typeof value === "string" ? value.replace(".000Z", "Z") : (value ?? "");
}

function unmarked(notes: unknown): string {
  return (typeof notes === "string" ? notes : "").replace(/\n?\[ref:[^\]]+\]/, "");
}
