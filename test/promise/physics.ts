import { CLASS_OF, LIFE_SAFETY, type PlayedZone } from "./building.ts";
import { LOCAL_OFFSET_MS, type Span, type Story } from "./story.ts";

/* What happened in the building, from what moved and what the broker was told had arrived; nothing of what the daemon says. */

/** A moment that is known up to a few minutes or seconds, in the world's time. */
export interface When {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A contact opened, for longer than its filters, and the daemon could see it. */
export interface Opening extends When {
  readonly zone: PlayedZone;
  /** False where a power cut or a filter leaves open whether it was seen. */
  readonly isCertain: boolean;
  /** When it was seen to close. */
  closed: (When & { readonly isCertain: boolean }) | undefined;
}

const SEEN_MS = 1_000;
/** A wire is open for so long before it is a trip. */
const WIRE_FILTER_MS = 250;
const PULSE_MS = 30_000;
const BOOT_TAKES_MS = 12_000;
const HOUR_MS = 3_600_000;

/** Every opening of a week, by zone and in its order. */
export function openingsOf(story: Story): Opening[] {
  return story.week.building.zones.flatMap((zone) => {
    if (zone.topic === undefined) return wireOpenings(story, zone);
    return zone.isPulse ? pulseOpenings(story, zone) : messageOpenings(story, zone);
  });
}

function wireOpenings(story: Story, zone: PlayedZone): Opening[] {
  const found: Opening[] = [];
  const moves = story.contacts.filter((move) => move.zone === zone.id);
  let state: "closed" | "open" | "perhaps open" | "perhaps closed" = "closed";
  let sinceMs = 0;
  const opened = (fromMs: number, toMs: number, isCertain: boolean): void => {
    found.push({ zone, fromMs, toMs, isCertain, closed: undefined });
  };
  for (const run of story.runs) {
    const readyMs = run.fromMs + settleMs(story, zone, run.fromMs);
    const inside = moves
      .filter(({ atMs }) => atMs > run.fromMs && atMs < run.untilMs)
      .map(({ atMs }) => atMs);
    const edges = [run.fromMs, ...inside, run.untilMs];
    for (const [index, fromMs] of edges.slice(0, -1).entries()) {
      const untilMs = edges[index + 1] ?? Infinity;
      const isOpen = moves.findLast(({ atMs }) => atMs <= fromMs)?.isOpen ?? false;
      if (isOpen) {
        const seenMs = Math.max(fromMs + WIRE_FILTER_MS, readyMs) + SEEN_MS;
        const isSeen = untilMs > seenMs;
        if (state === "closed") {
          sinceMs = fromMs;
          if (isSeen) opened(fromMs, seenMs, true);
          state = isSeen
            ? "open"
            : untilMs > seenMs - 2 * SEEN_MS || untilMs === run.untilMs
              ? "perhaps open"
              : state;
        } else if (isSeen && state !== "open") {
          opened(state === "perhaps open" ? sinceMs : fromMs, seenMs, state === "perhaps open");
          state = "open";
        }
      } else if (untilMs - fromMs > SEEN_MS) {
        const last = found.at(-1);
        if (state === "open" && last) last.closed = { fromMs, toMs: fromMs + SEEN_MS, isCertain: true };
        if (state === "perhaps open") opened(sinceMs, fromMs + SEEN_MS, false);
        state = "closed";
      } else state = state === "open" ? "perhaps closed" : state;
    }
  }
  return found;
}

/** After a power-up wires and detectors come to rest before anything counts. */
function settleMs(story: Story, { kind }: PlayedZone, fromMs: number): number {
  const boot = story.runs.findLast((run) => run.isBoot && run.fromMs <= fromMs);
  if (fromMs - (boot?.fromMs ?? 0) + BOOT_TAKES_MS >= 120_000) return 0;
  return ["fire", "panic", "holdup", "medical"].includes(kind) ? 5_000 : 60_000;
}

function messageOpenings(story: Story, zone: PlayedZone): Opening[] {
  const found: Opening[] = [];
  let isOpen = false;
  for (const { isOpen: says, ...when } of saidOf(story, zone)) {
    const last = found.at(-1);
    if (says && !isOpen) found.push({ zone, ...when, isCertain: true, closed: undefined });
    if (!says && isOpen && last) last.closed = { ...when, isCertain: true };
    isOpen = says;
  }
  return found;
}

function pulseOpenings(story: Story, zone: PlayedZone): Opening[] {
  const found: Opening[] = [];
  let lastMs = -Infinity;
  const said = saidOf(story, zone);
  for (const [index, { fromMs, toMs }] of said.entries()) {
    const startedMs = story.runs.findLast((run) => run.fromMs <= toMs)?.fromMs ?? 0;
    const isOneRun = lastMs > startedMs;
    const quietMs = toMs - (isOneRun || lastMs === -Infinity ? lastMs : startedMs);
    if (quietMs >= PULSE_MS - SEEN_MS) {
      const isCertain = quietMs > PULSE_MS + SEEN_MS;
      found.push({ zone, fromMs, toMs, isCertain, closed: undefined });
    } else if (!isOneRun) found.push({ zone, fromMs, toMs, isCertain: false, closed: undefined });
    lastMs = toMs;
    const overMs = toMs + PULSE_MS;
    const isLast = (said[index + 1]?.toMs ?? Infinity) > overMs + SEEN_MS;
    const runs = story.runs.findLast((run) => run.fromMs <= toMs);
    const last = found.at(-1);
    if (isLast && last) {
      const isCertain = last.isCertain && (runs?.untilMs ?? 0) > overMs + SEEN_MS;
      last.closed = {
        fromMs: overMs - SEEN_MS,
        toMs: overMs + (isCertain ? SEEN_MS : 24 * HOUR_MS),
        isCertain,
      };
    }
  }
  return found;
}

/** What the messages that have arrived say of a zone, in their order. */
function saidOf(story: Story, zone: PlayedZone): (When & { readonly isOpen: boolean })[] {
  return story.taken.flatMap(({ topic, payload, saidMs, takenMs }) => {
    if (topic !== zone.topic) return [];
    const value = (JSON.parse(payload) as Record<string, unknown>)[zone.field];
    return typeof value === "boolean" ? [{ isOpen: !value, fromMs: saidMs, toMs: takenMs }] : [];
  });
}

/** Whether trips of a zone are wanted all through a time: `held` by something, `free`, or `unsure` near its ends. */
export function holdOf(story: Story, zone: PlayedZone, { fromMs, toMs }: When): "free" | "held" | "unsure" {
  const spans = [...story.bypasses.filter((span) => span.zone === zone.id), ...story.walkTests];
  const holds = [
    ...spans.map((span) => within(story, span, fromMs, toMs)),
    ...(LIFE_SAFETY.has(zone.kind) ? [] : [gateOf(story, zone, fromMs, toMs)]),
  ];
  return holds.includes("held") ? "held" : holds.includes("unsure") ? "unsure" : "free";
}

const NEAR_MS = 6_000;

function within(story: Story, span: Span, fromMs: number, toMs: number): "free" | "held" | "unsure" {
  // Its end is a time of the wall clock across restarts.
  const slackMs = story.clocks.some(({ atMs }) => atMs > span.fromMs && atMs < span.untilMs + 2 * HOUR_MS)
    ? 2 * HOUR_MS
    : NEAR_MS;
  if (toMs < span.fromMs - NEAR_MS || fromMs > span.untilMs + slackMs) return "free";
  return fromMs > span.fromMs && toMs < span.untilMs - slackMs ? "held" : "unsure";
}

function gateOf(
  story: Story,
  { gate }: PlayedZone,
  fromMs: number,
  toMs: number,
): "free" | "held" | "unsure" {
  if (gate === "always") return "free";
  if (gate === "schedule") {
    const times = [fromMs - NEAR_MS, toMs + NEAR_MS].map((atMs) => isEvening(atMs + story.wrongBy(atMs)));
    const isSteady = !story.clocks.some(({ atMs }) => atMs > fromMs - NEAR_MS && atMs < toMs + NEAR_MS);
    if (
      !isSteady ||
      story.wrongBy(fromMs) < -30 * 24 * HOUR_MS ||
      times[0] !== times[1] ||
      toMs - fromMs > HOUR_MS
    )
      return "unsure";
    return times[0] ? "free" : "held";
  }
  const run = story.runs.findLast((each) => each.fromMs <= fromMs);
  const said =
    gate === "gpio"
      ? [{ atMs: (run?.fromMs ?? 0) + 1, isArmed: keyAt(story, run?.fromMs ?? 0) }, ...story.keys]
      : story.taken
          .filter(({ topic, takenMs }) => topic === "panel/state" && takenMs >= (run?.fromMs ?? 0))
          .map(({ payload, takenMs }) => ({ atMs: takenMs, isArmed: payload.includes("true") }));
  if (said.some(({ atMs }) => atMs > fromMs - NEAR_MS && atMs < toMs + NEAR_MS)) return "unsure";
  const last = said
    .filter(({ atMs }) => atMs <= fromMs)
    .toSorted((a, b) => a.atMs - b.atMs)
    .at(-1);
  if (!last) return "unsure";
  const isAway = story.brokerAway.some((span) => span.fromMs < toMs && span.untilMs > fromMs);
  return last.isArmed ? "free" : gate === "mqtt" && isAway ? "unsure" : "held";
}

function keyAt(story: Story, atMs: number): boolean {
  return story.keys.findLast((key) => key.atMs <= atMs)?.isArmed ?? true;
}

function isEvening(wallMs: number): boolean {
  const minutes = Math.floor((wallMs + LOCAL_OFFSET_MS) / 60_000) % 1440;
  return minutes >= 18 * 60 || minutes < 7 * 60;
}

/** Whether a moment that people read is this one, by the right time or by a clock that the site has had. */
export function isAt(story: Story, wallMs: number, { fromMs, toMs }: When): boolean {
  const slackMs = 2_000;
  return [...offsetsOf(story)].some((wrongByMs) => {
    const atMs = wallMs - wrongByMs;
    return atMs >= fromMs - slackMs && atMs <= toMs + slackMs;
  });
}

/** A clock that is set changes the times of what was before it since the power-up as well. */
function offsetsOf(story: Story): Set<number> {
  return new Set([0, ...story.clocks.map(({ wrongByMs }) => wrongByMs)]);
}

/** Hours and minutes in Bucharest at which people may read that it was. */
export function clockTimes(story: Story, { fromMs, toMs }: When): Set<string> {
  const times = new Set<string>();
  for (const wrongByMs of offsetsOf(story))
    for (let atMs = fromMs; atMs < toMs + 60_000; atMs += 60_000) {
      const local = new Date(Math.min(atMs, toMs) + wrongByMs + LOCAL_OFFSET_MS).toISOString();
      times.add(local.slice(11, 16));
    }
  return times;
}

export function classOf({ kind }: PlayedZone): string {
  return CLASS_OF[kind];
}
