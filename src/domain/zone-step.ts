import type { Contact, ZoneRules } from "./zone.ts";

/**
 * Takes one signal into a zone: what it is now, what happened, and when it wants to be woken.
 *
 * Pure: the same rules, state and signal always give the same step. A trip is an edge from normal to open against the
 * settled state, never a level and never a message, so a repeated, retained or redelivered reading changes nothing.
 */
export function stepZone(rules: ZoneRules, state: ZoneState, signal: ZoneSignal): ZoneStep {
  // What was due before this signal comes first: a wake may be late or have failed, and a reading that came in the
  // meantime must not wipe out an edge that had already stayed long enough.
  const due = settle(rules, state, signal.atMs);
  const step =
    signal.type === "reading"
      ? settle(rules, withReading(due.state, signal), signal.atMs)
      : { state: due.state, events: [] };
  const wakeAtMs = nextWake(rules, step.state);
  return {
    state: step.state,
    events: [...due.events, ...step.events],
    ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
  };
}

/** What a zone is. Only `contact` is stored; the rest lives as long as the process. All times are monotonic. */
export interface ZoneState {
  /** What the zone has settled on; `unknown` before its first sight. */
  readonly contact: Contact;
  /** A different contact that has been seen but has not stayed long enough yet. */
  readonly pending?: { readonly contact: KnownContact; readonly sinceMs: number; readonly live: boolean };
  /** The last reading that said open, for zones that close by themselves. */
  readonly lastOpenMs?: number;
  /** True until the first reading after a start: a change seen then happened while nobody was looking. */
  readonly carriedOver: boolean;
}

export type ZoneSignal =
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
  | { readonly type: "restore"; readonly cause: "reading" | "auto"; readonly atMs: number };

/**
 * `edge`: seen as it happened. `first-sight`: a life-safety zone was open when it was first seen. `after-restart`: the
 * zone was normal when the daemon stopped and open when it looked again.
 */
export type TripCause = "edge" | "first-sight" | "after-restart";

export interface ZoneStep {
  readonly state: ZoneState;
  readonly events: readonly ZoneEvent[];
  /** Monotonic moment at which a `wake` signal is due; absent when only a reading can change anything. */
  readonly wakeAtMs?: number;
}

type KnownContact = Exclude<Contact, "unknown">;
type Part = { readonly state: ZoneState; readonly events: readonly ZoneEvent[] };

/** The state at start, from what was stored when the daemon last settled the zone. */
export function resumeZone(contact: Contact, atMs: number): ZoneState {
  return { contact, carriedOver: contact !== "unknown", ...(contact === "open" ? { lastOpenMs: atMs } : {}) };
}

function withReading(state: ZoneState, reading: Extract<ZoneSignal, { type: "reading" }>): ZoneState {
  const { contact, atMs, live } = reading;
  if (contact === "unknown") return state;
  const lastOpenMs = contact === "open" ? { lastOpenMs: atMs } : {};
  if (contact === state.contact) {
    const { pending: _settledBack, ...rest } = state;
    return { ...rest, ...lastOpenMs, carriedOver: false };
  }
  // The edge is where the level first changed; further readings of the same level do not move it.
  const seen = state.pending?.contact === contact ? state.pending : undefined;
  const pending = { contact, sinceMs: seen?.sinceMs ?? atMs, live: live || (seen?.live ?? false) };
  return { ...state, ...lastOpenMs, pending };
}

/** Everything that is due by now, in the order in which it became due, so that a late wake gives what a prompt one does. */
function settle(rules: ZoneRules, state: ZoneState, nowMs: number): Part {
  const settleMs = settlesAt(rules, state) ?? Infinity;
  const restoreMs = restoresAt(rules, state) ?? Infinity;
  if (Math.min(settleMs, restoreMs) > nowMs) return { state, events: [] };
  const first = settleMs <= restoreMs ? settlePending(rules, state) : restoreByItself(state, restoreMs);
  const rest = settle(rules, first.state, nowMs);
  return { state: rest.state, events: [...first.events, ...rest.events] };
}

function settlePending(rules: ZoneRules, state: ZoneState): Part {
  const { pending, ...rest } = state;
  if (!pending) return { state, events: [] };
  const next = { ...rest, contact: pending.contact, carriedOver: false };
  return { state: next, events: [edgeEvent(rules, state, pending)] };
}

function edgeEvent(
  rules: ZoneRules,
  state: ZoneState,
  pending: NonNullable<ZoneState["pending"]>,
): ZoneEvent {
  const { contact, sinceMs: atMs, live } = pending;
  if (state.contact === "unknown") {
    const tripsNow = contact === "open" && live && rules.tripsAtFirstSight;
    return tripsNow ? { type: "trip", cause: "first-sight", atMs } : { type: "first-sight", contact, atMs };
  }
  if (contact === "normal") return { type: "restore", cause: "reading", atMs };
  return { type: "trip", cause: state.carriedOver ? "after-restart" : "edge", atMs };
}

function restoreByItself(state: ZoneState, dueMs: number): Part {
  // A normal reading that was still settling has nothing left to say.
  const { lastOpenMs: _over, pending: _overtaken, ...rest } = state;
  return {
    state: { ...rest, contact: "normal", carriedOver: false },
    events: [{ type: "restore", cause: "auto", atMs: dueMs }],
  };
}

/** When the pending contact has stayed long enough. */
function settlesAt(rules: ZoneRules, { pending }: ZoneState): number | undefined {
  return pending && pending.sinceMs + holdMs(rules, pending.contact);
}

function restoresAt(rules: ZoneRules, state: ZoneState): number | undefined {
  if (state.contact !== "open" || rules.autoRestoreMs === undefined || state.lastOpenMs === undefined)
    return undefined;
  return state.lastOpenMs + rules.autoRestoreMs;
}

function nextWake(rules: ZoneRules, state: ZoneState): number | undefined {
  const settleMs = settlesAt(rules, state);
  const restoreMs = restoresAt(rules, state);
  if (settleMs === undefined) return restoreMs;
  return restoreMs === undefined ? settleMs : Math.min(settleMs, restoreMs);
}

function holdMs(rules: ZoneRules, contact: KnownContact): number {
  return contact === "open" ? Math.max(rules.debounceMs, rules.minOpenMs, rules.confirmMs) : rules.debounceMs;
}
