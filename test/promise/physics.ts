import { CLASS_OF, LIFE_SAFETY, type PlayedZone } from "./building.ts";
import { LOCAL_OFFSET_MS, type Span, type Story } from "./story.ts";

/*
 * Physical events in the building, derived from movements and messages delivered to the broker; independent of
 * the output of the daemon.
 */

/** A range of possible times, in real time. */
export interface When {
  readonly fromMs: number;
  readonly toMs: number;
}

/** An opening longer than its filters that the daemon could read. */
export interface Opening extends When {
  readonly zone: PlayedZone;
  /** False if a power cut or a filter leaves uncertain whether it was read. */
  readonly isCertain: boolean;
  /** The reported event of a camera. */
  readonly occasion?: string;
  /** When the closing was read. */
  closed: (When & { readonly isCertain: boolean }) | undefined;
}

const SEEN_MS = 1_000;
/** Minimum open time of a GPIO contact. */
const WIRE_FILTER_MS = 250;
const PULSE_MS = 30_000;
const BOOT_TAKES_MS = 12_000;
const HOUR_MS = 3_600_000;
const INCIDENT_WINDOW_MS = 1_800_000;
/** Tolerance of a time in both directions. */
const NEAR_MS = 6_000;

/** Of completed runs. */
const known = new WeakMap<Story, readonly Opening[]>();

/** Every opening of a completed week, by zone and in order. */
export function openingsOf(story: Story): readonly Opening[] {
  const openings = known.get(story) ?? foundIn(story);
  known.set(story, openings);
  return openings;
}

function foundIn(story: Story): Opening[] {
  return story.week.building.zones.flatMap((zone) => {
    if (zone.topic === undefined) return untilRemoved(story, wireOpenings(story, zone));
    return untilRemoved(story, zone.isPulse ? pulseOpenings(story, zone) : messageOpenings(story, zone));
  });
}

/** The same; a contact that was open when its zone was removed is not monitored until the next reading. */
function untilRemoved(story: Story, found: Opening[]): Opening[] {
  for (const opening of found) {
    const { zone, toMs, closed } = opening;
    const absence = story.absences.find((span) => span.zone === zone.id && span.fromMs >= toMs);
    if (closed === undefined && absence)
      opening.closed = { fromMs: absence.fromMs, toMs: absence.untilMs, isCertain: false };
  }
  return found;
}

/** When a zone was removed permanently. */
export function goneAt(story: Story, { id }: PlayedZone): number | undefined {
  return story.absences.find((span) => span.zone === id && span.untilMs === Infinity)?.fromMs;
}

function wireOpenings(story: Story, zone: PlayedZone): Opening[] {
  const found: Opening[] = [];
  const moves = story.contacts.filter((move) => move.zone === zone.id);
  let state: "closed" | "open" | "perhaps open" | "perhaps closed" = "closed";
  let sinceMs = 0;
  const opened = (fromMs: number, toMs: number, isCertain: boolean): void => {
    found.push({ zone, fromMs, toMs, isCertain, closed: undefined });
  };
  for (const run of runsOf(story, zone)) {
    if (run.isFirstSight) {
      const last = found.at(-1);
      if (state === "open" && last)
        last.closed = { fromMs: sinceAbsent(story, zone, run.fromMs), toMs: run.fromMs, isCertain: false };
      state =
        (moves.findLast(({ atMs }) => atMs <= run.fromMs)?.isOpen ?? false) ? "perhaps closed" : "closed";
    }
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

interface Watched {
  readonly fromMs: number;
  readonly untilMs: number;
  /** The zone has just been added again, without a reading. */
  readonly isFirstSight: boolean;
}

/** Times in which the daemon ran with the zone configured. */
function runsOf(story: Story, zone: PlayedZone): Watched[] {
  const absences = story.absences.filter((span) => span.zone === zone.id);
  return story.runs.flatMap(({ fromMs, untilMs }) => {
    const parts: Watched[] = [];
    const wasAbsent = absences.some((span) => span.untilMs < fromMs && span.untilMs > fromMs - 1);
    let startMs = fromMs;
    let isFirstSight = wasAbsent;
    for (const span of absences) {
      if (span.untilMs <= fromMs || span.fromMs >= untilMs) continue;
      if (span.fromMs > startMs) parts.push({ fromMs: startMs, untilMs: span.fromMs, isFirstSight });
      startMs = span.untilMs;
      isFirstSight = true;
    }
    if (startMs < untilMs) parts.push({ fromMs: startMs, untilMs, isFirstSight });
    return parts;
  });
}

/** Start of the absence that ended at a time. */
function sinceAbsent(story: Story, { id }: PlayedZone, endMs: number): number {
  return story.absences.find((span) => span.zone === id && span.untilMs === endMs)?.fromMs ?? endMs;
}

/** The power-up delay of GPIO contacts and detectors. */
function settleMs(story: Story, { kind }: PlayedZone, fromMs: number): number {
  const boot = story.runs.findLast((run) => run.isBoot && run.fromMs <= fromMs);
  if (fromMs - (boot?.fromMs ?? 0) + BOOT_TAKES_MS >= 120_000) return 0;
  return ["fire", "panic", "holdup", "medical"].includes(kind) ? 5_000 : 60_000;
}

function messageOpenings(story: Story, zone: PlayedZone): Opening[] {
  const found: Opening[] = [];
  const absences = story.absences.filter((span) => span.zone === zone.id);
  /** Uncertain after the zone was not configured, and after a message that may belong to an earlier event. */
  let state: "open" | "closed" | "unsure" = "closed";
  let ended = 0;
  for (const { isOpen, occasion, ...when } of reportsOf(story, zone)) {
    const last = found.at(-1);
    const absence = absences[ended];
    if (absence && when.toMs > absence.fromMs) {
      if (last && last.closed === undefined)
        last.closed = { fromMs: absence.fromMs, toMs: absence.untilMs, isCertain: false };
      // About its end it is not known whether the zone is configured again: an opening may be seen, a closing may not.
      if (when.toMs <= absence.untilMs + (isOpen ? -SEEN_MS : SEEN_MS)) continue;
      state = "unsure";
      ended += 1;
    }
    if (!isOpen) {
      if (last && last.closed === undefined)
        last.closed = { ...when, isCertain: state === "open" && last.isCertain };
      state = "closed";
    } else if (state !== "open") {
      const repetition = occasion === undefined ? "new" : repetitionOf(story, zone, found, occasion, when);
      if (repetition === "repeated" && state === "closed") continue;
      const isCertain: boolean = repetition === "new" && state === "closed";
      found.push({
        zone,
        ...when,
        isCertain,
        closed: undefined,
        ...(occasion === undefined ? {} : { occasion }),
      });
      state = isCertain ? "open" : "unsure";
    }
  }
  return found;
}

/** Whether a camera message belongs to an earlier opening: the same event within the incident window. */
function repetitionOf(
  story: Story,
  zone: PlayedZone,
  before: readonly Opening[],
  occasion: string,
  { toMs }: When,
): "new" | "repeated" | "unsure" {
  if (LIFE_SAFETY.has(zone.kind)) return "new";
  const earlier = before.filter((opening) => opening.occasion === occasion);
  const last = earlier.at(-1);
  if (!last) return "new";
  const isClockSet = story.clocks.some(({ atMs }) => atMs > last.fromMs && atMs < toMs);
  const isDispatched =
    last.isCertain &&
    !zone.isSwinger &&
    holdOf(story, zone, last) === "free" &&
    outcomeOf(story, last) === "dispatched";
  const isWithin = toMs - last.fromMs < INCIDENT_WINDOW_MS - NEAR_MS;
  return isDispatched && isWithin && !isClockSet ? "repeated" : "unsure";
}

/**
 * Result of an opening that is not suppressed: its entry delay ends, or it was disarmed by then. Uncertain if
 * both happened at about the same time, or the daemon did not run.
 */
export function outcomeOf(
  story: Story,
  { zone, fromMs, toMs }: Opening,
): "dispatched" | "cancelled" | "unsure" {
  const delayMs = zone.entryDelayS * 1000;
  if (delayMs === 0 || LIFE_SAFETY.has(zone.kind) || zone.gate === "always") return "dispatched";
  const overMs = toMs + delayMs + NEAR_MS;
  if (story.absences.some((span) => span.zone === zone.id && span.fromMs < overMs && span.untilMs > fromMs))
    return "unsure";
  const run = story.runs.findLast((each) => each.fromMs <= fromMs);
  const isWhole = (run?.untilMs ?? 0) > overMs;
  const hasClosed =
    zone.gate !== "schedule" &&
    gateReportsOf(story, zone.gate).some(
      ({ atMs, isArmed }) =>
        !isArmed &&
        atMs > toMs + SEEN_MS &&
        atMs < fromMs + delayMs - SEEN_MS &&
        (run?.untilMs ?? 0) > atMs + SEEN_MS,
    );
  if (hasClosed) return "cancelled";
  // The arming condition during the delay, or until the daemon ran again after it.
  const untilMs = isWhole
    ? overMs
    : (story.runs.find((each) => each.fromMs > fromMs)?.fromMs ?? overMs) + 60_000;
  return gateOf(story, zone, fromMs, Math.max(overMs, untilMs)) === "free" ? "dispatched" : "unsure";
}

function pulseOpenings(story: Story, zone: PlayedZone): Opening[] {
  const found: Opening[] = [];
  let lastMs = -Infinity;
  const absences = story.absences.filter((span) => span.zone === zone.id);
  const isAbsent = (fromMs: number, toMs: number): boolean =>
    absences.some((span) => span.fromMs < toMs && span.untilMs > fromMs - SEEN_MS);
  const said = reportsOf(story, zone).filter(({ toMs }) => !isAbsent(toMs, toMs));
  for (const [index, { fromMs, toMs }] of said.entries()) {
    const startedMs = story.runs.findLast((run) => run.fromMs <= toMs)?.fromMs ?? 0;
    const isOneRun = lastMs > startedMs && !isAbsent(lastMs, toMs);
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
      const isCertain = last.isCertain && (runs?.untilMs ?? 0) > overMs + SEEN_MS && !isAbsent(toMs, overMs);
      last.closed = {
        fromMs: overMs - SEEN_MS,
        toMs: overMs + (isCertain ? SEEN_MS : 24 * HOUR_MS),
        isCertain,
      };
    }
  }
  return found;
}

interface Said {
  readonly isOpen: boolean;
  /** The event reported by a camera. */
  readonly occasion?: string;
}

/** Readings of a zone from delivered messages, in order. */
function reportsOf(story: Story, zone: PlayedZone): (When & Said)[] {
  return story.taken.flatMap(({ topic, payload, saidMs, takenMs }) => {
    const said = topic === zone.topic ? readingOf(zone, JSON.parse(payload) as Message) : undefined;
    return said ? [{ ...said, fromMs: saidMs, toMs: takenMs }] : [];
  });
}

interface Message {
  readonly [field: string]: unknown;
  readonly id?: number;
  readonly state?: string;
  readonly type?: string;
  readonly after?: { readonly camera: string; readonly id: string; readonly test?: boolean };
}

function readingOf({ id, line, field, style }: PlayedZone, message: Message): Said | undefined {
  if (style === "input") return message.id === line ? { isOpen: message.state === "on" } : undefined;
  if (style === "review") {
    const { type, after } = message;
    if (!after || after.camera !== id || after.test !== undefined) return undefined;
    return type === "end" ? { isOpen: false } : { isOpen: true, occasion: after.id };
  }
  const value = message[field];
  return typeof value === "boolean" ? { isOpen: !value } : undefined;
}

/**
 * Whether trips of a zone are dispatched during a whole time range: `held` if suppressed, `free`, or `unsure`
 * near its ends.
 */
export function holdOf(story: Story, zone: PlayedZone, { fromMs, toMs }: When): "free" | "held" | "unsure" {
  const spans = [...story.bypasses.filter((span) => span.zone === zone.id), ...story.walkTests];
  const holds = [
    ...spans.map((span) => within(story, span, fromMs, toMs)),
    ...(LIFE_SAFETY.has(zone.kind) ? [] : [gateOf(story, zone, fromMs, toMs)]),
  ];
  return holds.includes("held") ? "held" : holds.includes("unsure") ? "unsure" : "free";
}

function within(story: Story, span: Span, fromMs: number, toMs: number): "free" | "held" | "unsure" {
  // Across restarts its end is a wall clock time.
  const slackMs = story.clocks.some(({ atMs }) => atMs > span.fromMs && atMs < span.untilMs + 2 * HOUR_MS)
    ? 2 * HOUR_MS
    : NEAR_MS;
  if (toMs < span.fromMs - NEAR_MS || fromMs > span.untilMs + slackMs) return "free";
  return fromMs > span.fromMs && toMs < span.untilMs - slackMs ? "held" : "unsure";
}

function gateOf(story: Story, zone: PlayedZone, fromMs: number, toMs: number): "free" | "held" | "unsure" {
  const { gate } = zone;
  if (gate === "always") return "free";
  const exitMs = (story.week.building.exitDelaysS[gate] ?? 0) * 1000;
  if (gate === "schedule") return scheduleOf(story, exitMs, fromMs, toMs);
  const said = gateReportsOf(story, gate, fromMs);
  if (said.some(({ atMs }) => atMs > fromMs - NEAR_MS && atMs < toMs + NEAR_MS)) return "unsure";
  // Another configuration may have dropped the arming condition for a moment, and read it again.
  if (story.reloads.some(({ atMs }) => atMs > fromMs - NEAR_MS && atMs < toMs + NEAR_MS)) return "unsure";
  const last = said.findLast(({ atMs }) => atMs <= fromMs);
  if (!last) return "unsure";
  const isAway = story.brokerAway.some((span) => span.fromMs < toMs && span.untilMs > fromMs);
  if (!last.isArmed) return gate === "mqtt" && isAway ? "unsure" : "held";
  return exitDelayOf(story, gate, exitMs, fromMs, toMs);
}

function scheduleOf(story: Story, exitMs: number, fromMs: number, toMs: number): "free" | "held" | "unsure" {
  const beginMs = fromMs - NEAR_MS - exitMs;
  const isSteady = !story.clocks.some(({ atMs }) => atMs > beginMs && atMs < toMs + NEAR_MS);
  if (!isSteady || story.wrongBy(fromMs) < -30 * 24 * HOUR_MS || toMs - fromMs > HOUR_MS) return "unsure";
  const isArmed = (atMs: number): boolean => isEvening(atMs + story.wrongBy(atMs));
  const times = [beginMs, fromMs + NEAR_MS - exitMs, fromMs - NEAR_MS, toMs + NEAR_MS].map(isArmed);
  if (times.every(Boolean)) return "free";
  if (!times.some(Boolean)) return "held";
  // Armed, with the exit delay running during the whole range.
  const isLeaving = times[2] === true && times[3] === true && !isArmed(toMs + NEAR_MS - exitMs);
  return isLeaving ? "held" : "unsure";
}

/** An armed condition during the exit delay. */
function exitDelayOf(
  story: Story,
  gate: "mqtt" | "gpio",
  exitMs: number,
  fromMs: number,
  toMs: number,
): "free" | "held" | "unsure" {
  const said = gateReportsOf(story, gate).filter(({ atMs }) => atMs <= fromMs);
  const index = said.findLastIndex(({ isArmed }, at) => isArmed && said[at - 1]?.isArmed === false);
  const openedMs = said[index]?.atMs ?? -Infinity;
  if (exitMs === 0 || fromMs - openedMs > exitMs + NEAR_MS) {
    // After a clock step and a restart its rest may be longer.
    const isDoubtful =
      exitMs > 0 && fromMs - openedMs < exitMs + 2 * HOUR_MS && isBroken(story, openedMs, fromMs);
    return isDoubtful ? "unsure" : "free";
  }
  if (isBroken(story, openedMs, toMs)) return "unsure";
  return toMs - openedMs < exitMs - NEAR_MS ? "held" : "unsure";
}

/** Whether the daemon was started, its clock stepped or its configuration changed between two times. */
function isBroken(story: Story, fromMs: number, toMs: number): boolean {
  const all = [
    ...story.runs.map((run) => run.fromMs),
    ...[...story.clocks, ...story.reloads].map(({ atMs }) => atMs),
  ];
  return all.some((atMs) => atMs > fromMs - NEAR_MS && atMs < toMs + NEAR_MS);
}

/** Known states of an arming condition, in order. @param atMs only those of the run at this time */
function gateReportsOf(
  story: Story,
  gate: "mqtt" | "gpio",
  inRunAtMs?: number,
): { readonly atMs: number; readonly isArmed: boolean }[] {
  const run = inRunAtMs === undefined ? undefined : story.runs.findLast((each) => each.fromMs <= inRunAtMs);
  const sinceMs = run?.fromMs ?? 0;
  const said =
    gate === "gpio"
      ? [...(run ? [{ atMs: sinceMs + 1, isArmed: keyAt(story, sinceMs) }] : []), ...story.keys]
      : story.taken
          .filter(({ topic, takenMs }) => topic === "panel/state" && takenMs >= sinceMs)
          .map(({ payload, takenMs }) => ({ atMs: takenMs, isArmed: payload.includes("true") }));
  return said.toSorted((a, b) => a.atMs - b.atMs);
}

function keyAt(story: Story, atMs: number): boolean {
  return story.keys.findLast((key) => key.atMs <= atMs)?.isArmed ?? true;
}

function isEvening(wallMs: number): boolean {
  const minutes = Math.floor((wallMs + LOCAL_OFFSET_MS) / 60_000) % 1440;
  return minutes >= 18 * 60 || minutes < 7 * 60;
}

/** Whether a displayed time matches, by the right time or by a clock that the site has had. */
export function isAt(story: Story, wallMs: number, { fromMs, toMs }: When): boolean {
  const slackMs = 2_000;
  return [...offsetsOf(story)].some((wrongByMs) => {
    const atMs = wallMs - wrongByMs;
    return atMs >= fromMs - slackMs && atMs <= toMs + slackMs;
  });
}

/** A clock step also changes earlier times since the power-up. */
function offsetsOf(story: Story): Set<number> {
  return new Set([0, ...story.clocks.map(({ wrongByMs }) => wrongByMs)]);
}

/** Times in Bucharest that may be displayed for it. */
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
