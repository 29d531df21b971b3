import { isChatter, withActivity, CHATTER_QUIET_MS } from "./chatter.ts";
import type { Contact, KnownContact, ZoneRules } from "./zone.ts";

/**
 * Applies one signal to a zone and returns its new state, the events and the next timer.
 *
 * A pure function. A trip is an edge from normal to open of the debounced state, never a level or a message, so a
 * repeated, retained or redelivered reading changes nothing. Only an alarm that a panel reports as new is not a level.
 */
export function stepZone(rules: ZoneRules, state: ZoneState, signal: StepSignal): ZoneStep {
  // Handle due deadlines first: a timer may be late or have failed, and a newer reading must not cancel an edge that was
  // already confirmed.
  const due = runDeadlines(rules, state, signal.atMs);
  const read = signal.type === "reading" ? withReading(rules, due.state, signal) : { ...due, events: [] };
  const after = runDeadlines(rules, read.state, signal.atMs);
  const wakeAtMs = pendingDeadlines(rules, after.state)[0]?.atMs;
  return {
    state: after.state,
    events: [...due.events, ...withLateness([...read.events, ...after.events], signal)],
    ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
  };
}

/** State of a zone; `PersistedZoneState` of it is stored. All times are monotonic. */
export interface ZoneState {
  /** The debounced contact; `unknown` before the first reading. */
  readonly contact: Contact;
  /** A different contact that was read but has not lasted long enough yet. */
  readonly pending?: PendingContact;
  /** Time of the last open reading, for zones with automatic restore. */
  readonly lastOpenMs?: number;
  /** True until the first reading after a start: a change found then occurred while the daemon was stopped. */
  readonly isResumed: boolean;
  /** Restored automatically, not by a reading: a retained open message must not open it again. */
  readonly autoRestored: boolean;
  /** Open at the first reading by a retained message; the next live open reading trips a life safety zone. */
  readonly isOpenByOldValue?: boolean;
  /** No opening counts before this time: after a power-up, lines and detectors are unstable. */
  readonly notBeforeMs: number;
  /** The last level read, before debouncing. */
  readonly level: Contact;
  /** Times of the last level changes, oldest first. */
  readonly activity: readonly number[];
  /** Set while the contact chatters. */
  readonly isChattering?: true;
}

interface PendingContact {
  readonly contact: KnownContact;
  readonly sinceMs: number;
  readonly live: boolean;
}

/** State of a zone from the journal at the start; times are monotonic in the new process. */
export type PersistedZoneState = Pick<ZoneState, "contact" | "pending" | "autoRestored" | "isOpenByOldValue">;

export type StepSignal =
  | {
      readonly type: "reading";
      readonly contact: Contact;
      readonly atMs: number;
      /** False for a value that may be old, such as a retained message. */
      readonly live: boolean;
      /** Milliseconds since the contact has changed, if that is reported late. */
      readonly lateMs?: number | undefined;
      /** A new alarm, not a level: a zone that is open trips again. */
      readonly isNewAlarm?: boolean | undefined;
      /** Caused by a user now, not by a sensor: the contact has not changed while the daemon was stopped. */
      readonly isTest?: boolean | undefined;
    }
  | { readonly type: "wake"; readonly atMs: number };

export type ZoneEvent =
  | { readonly type: "first-sight"; readonly contact: KnownContact; readonly atMs: number }
  | {
      readonly type: "trip";
      readonly cause: TripCause;
      readonly atMs: number;
      /** Milliseconds since it occurred, for a late report. */
      readonly lateMs?: number;
      /** The zone was open before, and still is since that opening. */
      readonly isAgain?: true;
    }
  | { readonly type: "restore"; readonly cause: "reading" | "auto"; readonly atMs: number }
  | { readonly type: "chatter"; readonly atMs: number }
  | { readonly type: "calm"; readonly atMs: number };

/**
 * `edge`: detected as it happened. `first-sight`: a life safety zone was open at its first reading. `after-restart`: the
 * zone was normal when the daemon stopped and open at the next reading. `chatter`: it changed too fast to be read.
 * `standing`: it was already open when a suppression ended; not produced by `stepZone`.
 */
export type TripCause = "edge" | "first-sight" | "after-restart" | "chatter" | "standing";

interface ZoneStep {
  readonly state: ZoneState;
  readonly events: readonly ZoneEvent[];
  /** Monotonic time of the next `wake` signal; absent if only a reading can change the state. */
  readonly wakeAtMs?: number;
}

type StepPart = { readonly state: ZoneState; readonly events: readonly ZoneEvent[] };
type Reading = Extract<StepSignal, { type: "reading" }>;

function withReading(rules: ZoneRules, before: ZoneState, reading: Reading): StepPart {
  const { contact, atMs, live, isNewAlarm, isTest } = reading;
  const state = isTest === true ? { ...before, isResumed: false } : before;
  if (contact === "unknown") return { state, events: [] };
  const isOldOpening = contact === "open" && !live && state.autoRestored;
  if (isOldOpening) return { state, events: [] };
  const active = withActivity(state, contact, atMs);
  const updated = contact === "open" ? { ...active, lastOpenMs: atMs } : active;
  if (updated.isChattering) return { state: updated, events: [] };
  if (isChatter(rules, updated)) return startChatter(updated, atMs);
  if (state.contact !== contact) return { state: waiting(updated, contact, atMs, live), events: [] };
  const { isOpenByOldValue, ...settled } = withoutPending(updated);
  if (isOpenByOldValue && live)
    return { state: settled, events: [{ type: "trip", cause: "first-sight", atMs }] };
  if (isNewAlarm === true && contact === "open")
    return { state: settled, events: [{ type: "trip", cause: "edge", atMs, isAgain: true }] };
  return { state: withoutPending(updated), events: [] };
}

/** A late report is late for the trip that it causes at once. */
function withLateness(events: readonly ZoneEvent[], signal: StepSignal): readonly ZoneEvent[] {
  const { lateMs } = signal.type === "reading" ? signal : {};
  if (lateMs === undefined) return events;
  return events.map((event) => (event.type === "trip" ? { ...event, lateMs } : event));
}

/** A reading of the debounced contact discards a pending other one. */
function withoutPending(state: ZoneState): ZoneState {
  const { pending: _pending, ...rest } = state;
  return { ...rest, isResumed: false, autoRestored: false };
}

function waiting(state: ZoneState, contact: KnownContact, atMs: number, live: boolean): ZoneState {
  // The edge is the first change of the level; further readings of the same level do not move it.
  const updated = state.pending?.contact === contact ? state.pending : undefined;
  const pending = { contact, sinceMs: updated?.sinceMs ?? atMs, live: live || (updated?.live ?? false) };
  return { ...state, pending };
}

function startChatter(state: ZoneState, atMs: number): StepPart {
  const { pending: _swallowed, isOpenByOldValue: _live, ...rest } = state;
  const start: ZoneEvent = { type: "chatter", atMs };
  const trip: ZoneEvent = { type: "trip", cause: "chatter", atMs: state.activity[0] ?? atMs };
  return {
    state: {
      ...rest,
      contact: "open",
      isResumed: false,
      autoRestored: false,
      isChattering: true,
    },
    // A zone that is already open has tripped before.
    events: state.contact === "open" ? [start] : [trip, start],
  };
}

interface Deadline {
  readonly atMs: number;
  readonly apply: (rules: ZoneRules, state: ZoneState, atMs: number) => StepPart;
}

/** Handles everything due by now in order, so that a late timer gives the same result as a timely one. */
function runDeadlines(rules: ZoneRules, state: ZoneState, nowMs: number): StepPart {
  const [first] = pendingDeadlines(rules, state);
  if (!first || first.atMs > nowMs) return { state, events: [] };
  const part = first.apply(rules, state, first.atMs);
  const rest = runDeadlines(rules, part.state, nowMs);
  return { state: rest.state, events: [...part.events, ...rest.events] };
}

/** Deadlines without a further reading, the earliest first. */
function pendingDeadlines(rules: ZoneRules, state: ZoneState): Deadline[] {
  const { pending, isChattering, contact, lastOpenMs } = state;
  if (isChattering) return [{ atMs: (state.activity.at(-1) ?? 0) + CHATTER_QUIET_MS, apply: endChatter }];
  const found: Deadline[] = [];
  if (pending) found.push({ atMs: confirmedAtMs(rules, state, pending), apply: confirmPending });
  if (contact === "open" && rules.autoRestoreMs !== undefined && lastOpenMs !== undefined)
    found.push({ atMs: lastOpenMs + rules.autoRestoreMs, apply: autoRestore });
  return found.toSorted((a, b) => a.atMs - b.atMs);
}

function confirmedAtMs(rules: ZoneRules, state: ZoneState, { contact, sinceMs }: PendingContact): number {
  if (contact === "normal") return sinceMs + rules.debounceMs;
  return Math.max(sinceMs + tripDelayMs(rules), state.notBeforeMs);
}

/** How long a contact must stay open before it trips. */
export function tripDelayMs(rules: ZoneRules): number {
  return Math.max(rules.debounceMs, rules.minOpenMs, rules.confirmMs);
}

function confirmPending(rules: ZoneRules, state: ZoneState): StepPart {
  const { pending, ...rest } = state;
  if (!pending) return { state, events: [] };
  const { isOpenByOldValue: _settled, ...before } = rest;
  const isOld = state.contact === "unknown" && pending.contact === "open" && !pending.live;
  const next = {
    ...before,
    contact: pending.contact,
    isResumed: false,
    autoRestored: false,
    ...(isOld && rules.tripsAtFirstSight ? { isOpenByOldValue: true } : {}),
  };
  return { state: next, events: confirmedEvents(rules, state, pending) };
}

function confirmedEvents(
  rules: ZoneRules,
  state: ZoneState,
  { contact, sinceMs: atMs, live }: PendingContact,
): ZoneEvent[] {
  if (state.contact === contact) return [];
  if (state.contact === "unknown") {
    const tripsNow = contact === "open" && live && rules.tripsAtFirstSight;
    return [tripsNow ? { type: "trip", cause: "first-sight", atMs } : { type: "first-sight", contact, atMs }];
  }
  if (contact === "normal") return [{ type: "restore", cause: "reading", atMs }];
  return [{ type: "trip", cause: state.isResumed ? "after-restart" : "edge", atMs }];
}

function autoRestore(_rules: ZoneRules, state: ZoneState, atMs: number): StepPart {
  // A pending normal reading is obsolete.
  const { lastOpenMs: _pending, pending: _overtaken, isOpenByOldValue: _closed, ...rest } = state;
  return {
    state: { ...rest, contact: "normal", isResumed: false, autoRestored: true },
    events: [{ type: "restore", cause: "auto", atMs }],
  };
}

function endChatter(_rules: ZoneRules, state: ZoneState, atMs: number): StepPart {
  const { isChattering: _over, ...rest } = state;
  const end: ZoneEvent = { type: "calm", atMs };
  const isClosed = state.level === "normal";
  return {
    state: { ...rest, contact: isClosed ? "normal" : "open", activity: [] },
    events: isClosed ? [end, { type: "restore", cause: "reading", atMs }] : [end],
  };
}
