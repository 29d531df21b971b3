import { isChatter, withActivity, CHATTER_QUIET_MS } from "./chatter.ts";
import type { Contact, KnownContact, ZoneRules } from "./zone.ts";

/**
 * Takes one signal into a zone: what it is now, what happened, and when it wants to be woken.
 *
 * Pure: the same rules, state and signal always give the same step. A trip is an edge from normal to open against the
 * settled state, never a level and never a message, so a repeated, retained or redelivered reading changes nothing.
 */
export function stepZone(rules: ZoneRules, state: ZoneState, signal: StepSignal): ZoneStep {
  // What was due before this signal comes first: a wake may be late or have failed, and a reading that came in the
  // meantime must not wipe out an edge that had already stayed long enough.
  const due = settle(rules, state, signal.atMs);
  const read = signal.type === "reading" ? withReading(rules, due.state, signal) : { ...due, events: [] };
  const after = settle(rules, read.state, signal.atMs);
  const wakeAtMs = pendingDeadlines(rules, after.state)[0]?.atMs;
  return {
    state: after.state,
    events: [...due.events, ...read.events, ...after.events],
    ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
  };
}

/** What a zone is. `KeptZoneState` of it outlives the process. All times are monotonic. */
export interface ZoneState {
  /** What the zone has settled on; `unknown` before its first sight. */
  readonly contact: Contact;
  /** A different contact that has been seen but has not stayed long enough yet. */
  readonly pending?: PendingContact;
  /** The last reading that said open, for zones that close by themselves. */
  readonly lastOpenMs?: number;
  /** True until the first reading after a start: a change seen then happened while nobody was looking. */
  readonly isResumed: boolean;
  /** It is normal because its time was over, not because a reading said so: an old value must not open it again. */
  readonly autoRestored: boolean;
  /** It was open at first sight by a value that may be old; the first live one that says so makes a life-safety zone trip. */
  readonly isOpenByOldValue?: boolean;
  /** No opening settles before this moment: after a power-up wires and detectors need time to come to rest. */
  readonly notBeforeMs: number;
  /** The last level read, settled or not. */
  readonly level: Contact;
  /** Moments of the last changes of level, oldest first. */
  readonly activity: readonly number[];
  /** Set while the contact changes so fast that every filter would swallow it: how often it has changed so far. */
  readonly chatter?: { readonly changes: number };
}

export interface PendingContact {
  readonly contact: KnownContact;
  readonly sinceMs: number;
  readonly live: boolean;
}

/** What is known of a zone when the daemon starts; the times are monotonic ones of the new process. */
export type PersistedZoneState = Pick<ZoneState, "contact" | "pending" | "autoRestored">;

export type StepSignal =
  | {
      readonly type: "reading";
      readonly contact: Contact;
      readonly atMs: number;
      /** False for a value that may be old, such as a retained message. */
      readonly live: boolean;
    }
  | { readonly type: "wake"; readonly atMs: number };

export type ZoneEvent =
  | { readonly type: "first-sight"; readonly contact: KnownContact; readonly atMs: number }
  | { readonly type: "trip"; readonly cause: TripCause; readonly atMs: number }
  | { readonly type: "restore"; readonly cause: "reading" | "auto"; readonly atMs: number }
  | { readonly type: "chatter"; readonly atMs: number }
  | { readonly type: "calm"; readonly changes: number; readonly atMs: number };

/**
 * `edge`: seen as it happened. `first-sight`: a life-safety zone was open when it was first seen. `after-restart`: the
 * zone was normal when the daemon stopped and open when it looked again. `chatter`: it changed too fast to be read.
 * `standing`: it was open already when what held its trips back ended; no step of a zone gives it.
 */
export type TripCause = "edge" | "first-sight" | "after-restart" | "chatter" | "standing";

export interface ZoneStep {
  readonly state: ZoneState;
  readonly events: readonly ZoneEvent[];
  /** Monotonic moment at which a `wake` signal is due; absent when only a reading can change anything. */
  readonly wakeAtMs?: number;
}

type Part = { readonly state: ZoneState; readonly events: readonly ZoneEvent[] };
type Reading = Extract<StepSignal, { type: "reading" }>;

/** What a reading says against what the zone has settled on. */
const ON_READING: Record<Contact, Record<Contact, "nothing" | "confirms" | "differs">> = {
  unknown: { unknown: "nothing", normal: "differs", open: "differs" },
  normal: { unknown: "nothing", normal: "confirms", open: "differs" },
  open: { unknown: "nothing", normal: "differs", open: "confirms" },
};

function withReading(rules: ZoneRules, state: ZoneState, reading: Reading): Part {
  const { contact, atMs, live } = reading;
  if (contact === "unknown") return { state, events: [] };
  const isOldOpening = contact === "open" && !live && state.autoRestored;
  if (isOldOpening) return { state, events: [] };
  const active = withActivity(state, contact, atMs);
  const seen = contact === "open" ? { ...active, lastOpenMs: atMs } : active;
  if (seen.chatter) return { state: seen, events: [] };
  if (isChatter(rules, seen)) return startChatter(seen, atMs);
  const meaning = ON_READING[state.contact][contact];
  if (meaning === "confirms" && contact === "open" && live && state.isOpenByOldValue) {
    const { isOpenByOldValue: _known, ...known } = settledBack(seen, contact);
    return { state: known, events: [{ type: "trip", cause: "first-sight", atMs }] };
  }
  const next = meaning === "confirms" ? settledBack(seen, contact) : waiting(seen, contact, atMs, live);
  return { state: next, events: [] };
}

function settledBack(state: ZoneState, contact: KnownContact): ZoneState {
  const { pending: _over, ...rest } = state;
  const autoRestored = state.autoRestored && contact !== "normal";
  return { ...rest, isResumed: false, autoRestored };
}

function waiting(state: ZoneState, contact: KnownContact, atMs: number, live: boolean): ZoneState {
  // The edge is where the level first changed; further readings of the same level do not move it.
  const seen = state.pending?.contact === contact ? state.pending : undefined;
  const pending = { contact, sinceMs: seen?.sinceMs ?? atMs, live: live || (seen?.live ?? false) };
  return { ...state, pending };
}

function startChatter(state: ZoneState, atMs: number): Part {
  const { pending: _swallowed, isOpenByOldValue: _live, ...rest } = state;
  const began: ZoneEvent = { type: "chatter", atMs };
  const trip: ZoneEvent = { type: "trip", cause: "chatter", atMs: state.activity[0] ?? atMs };
  return {
    state: {
      ...rest,
      contact: "open",
      isResumed: false,
      autoRestored: false,
      chatter: { changes: state.activity.length },
    },
    // What is open already has had its trip.
    events: state.contact === "open" ? [began] : [trip, began],
  };
}

interface Due {
  readonly atMs: number;
  readonly happens: (rules: ZoneRules, state: ZoneState, atMs: number) => Part;
}

/** Everything that is due by now, in the order in which it became due, so that a late wake gives what a prompt one does. */
function settle(rules: ZoneRules, state: ZoneState, nowMs: number): Part {
  const [first] = pendingDeadlines(rules, state);
  if (!first || first.atMs > nowMs) return { state, events: [] };
  const part = first.happens(rules, state, first.atMs);
  const rest = settle(rules, part.state, nowMs);
  return { state: rest.state, events: [...part.events, ...rest.events] };
}

/** What will happen without a further reading, the earliest first. */
function pendingDeadlines(rules: ZoneRules, state: ZoneState): Due[] {
  const { pending, chatter, contact, lastOpenMs } = state;
  if (chatter) return [{ atMs: (state.activity.at(-1) ?? 0) + CHATTER_QUIET_MS, happens: calmDown }];
  const found: Due[] = [];
  if (pending) found.push({ atMs: settlesAt(rules, state, pending), happens: settlePending });
  if (contact === "open" && rules.autoRestoreMs !== undefined && lastOpenMs !== undefined)
    found.push({ atMs: lastOpenMs + rules.autoRestoreMs, happens: autoRestore });
  return found.toSorted((a, b) => a.atMs - b.atMs);
}

function settlesAt(rules: ZoneRules, state: ZoneState, { contact, sinceMs }: PendingContact): number {
  if (contact === "normal") return sinceMs + rules.debounceMs;
  return Math.max(sinceMs + tripDelayMs(rules), state.notBeforeMs);
}

/** How long a contact must stay open before it is a trip. */
export function tripDelayMs(rules: ZoneRules): number {
  return Math.max(rules.debounceMs, rules.minOpenMs, rules.confirmMs);
}

/** What it is when a pending contact has stayed long enough. */
const ON_SETTLED: Record<Contact, Record<KnownContact, "first-sight" | "trip" | "restore" | "nothing">> = {
  unknown: { normal: "first-sight", open: "first-sight" },
  normal: { normal: "nothing", open: "trip" },
  open: { normal: "restore", open: "nothing" },
};

function settlePending(rules: ZoneRules, state: ZoneState): Part {
  const { pending, ...rest } = state;
  if (!pending) return { state, events: [] };
  const { isOpenByOldValue: _settled, ...before } = rest;
  const isOld =
    ON_SETTLED[state.contact][pending.contact] === "first-sight" &&
    pending.contact === "open" &&
    !pending.live;
  const next = {
    ...before,
    contact: pending.contact,
    isResumed: false,
    autoRestored: false,
    ...(isOld && rules.tripsAtFirstSight ? { isOpenByOldValue: true } : {}),
  };
  return { state: next, events: settledEvents(rules, state, pending) };
}

function settledEvents(
  rules: ZoneRules,
  state: ZoneState,
  { contact, sinceMs: atMs, live }: PendingContact,
): ZoneEvent[] {
  const what = ON_SETTLED[state.contact][contact];
  if (what === "nothing") return [];
  if (what === "restore") return [{ type: "restore", cause: "reading", atMs }];
  if (what === "trip") return [{ type: "trip", cause: state.isResumed ? "after-restart" : "edge", atMs }];
  const tripsNow = contact === "open" && live && rules.tripsAtFirstSight;
  return [tripsNow ? { type: "trip", cause: "first-sight", atMs } : { type: "first-sight", contact, atMs }];
}

function autoRestore(_rules: ZoneRules, state: ZoneState, atMs: number): Part {
  // A normal reading that was still settling has nothing left to say.
  const { lastOpenMs: _over, pending: _overtaken, isOpenByOldValue: _closed, ...rest } = state;
  return {
    state: { ...rest, contact: "normal", isResumed: false, autoRestored: true },
    events: [{ type: "restore", cause: "auto", atMs }],
  };
}

function calmDown(_rules: ZoneRules, state: ZoneState, atMs: number): Part {
  const { chatter, ...rest } = state;
  const ended: ZoneEvent = { type: "calm", changes: chatter?.changes ?? 0, atMs };
  const isClosed = state.level === "normal";
  return {
    state: { ...rest, contact: isClosed ? "normal" : "open", activity: [] },
    events: isClosed ? [ended, { type: "restore", cause: "reading", atMs }] : [ended],
  };
}
