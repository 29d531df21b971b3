import type { Contact, ZoneRules } from "./zone.ts";

/*
 * Debounce and minimum open time would hide a contact that toggles faster, such as a loose or sabotaged cable. Too many
 * changes within a second are therefore one trip and one fault.
 */

/** Number of level changes within CHATTER_WINDOW_MS that counts as chatter. */
const CHATTER_CHANGES = 8;
const CHATTER_WINDOW_MS = 1_000;
/** Time without a level change after which chatter ends. */
export const CHATTER_QUIET_MS = 10_000;
/** Changes closer together count once: a reed contact bounces for a few milliseconds when a door is closed. */
const BOUNCE_MS = 10;

interface ActivityState {
  readonly level: Contact;
  readonly activity: readonly number[];
  readonly notBeforeMs: number;
}

/** Adds a level that was just read; a change is recorded as activity. */
export function withActivity<State extends ActivityState>(state: State, level: Contact, atMs: number): State {
  if (level === state.level) return state;
  const lastMs = state.activity.at(-1);
  const isBounce = lastMs !== undefined && atMs - lastMs < BOUNCE_MS;
  // Unstable levels after a power-up are not chatter.
  if (isBounce || atMs < state.notBeforeMs) return { ...state, level };
  const activity = [...state.activity, atMs].slice(-CHATTER_CHANGES);
  return { ...state, level, activity };
}

/** Whether the last changes were so fast that the filters of the zone would hide them. */
export function isChatter(rules: ZoneRules, { activity }: ActivityState): boolean {
  const [firstMs] = activity;
  const lastMs = activity.at(-1);
  if (
    !isFiltered(rules) ||
    activity.length < CHATTER_CHANGES ||
    firstMs === undefined ||
    lastMs === undefined
  )
    return false;
  return lastMs - firstMs <= CHATTER_WINDOW_MS;
}

/**
 * Whether a zone filters short pulses. Without filters nothing is hidden, and messages queued at a broker may arrive at
 * the same time.
 */
export function isFiltered({ debounceMs, minOpenMs, confirmMs }: ZoneRules): boolean {
  return debounceMs > 0 || minOpenMs > 0 || confirmMs > 0;
}
