import type { Contact, ZoneRules } from "./zone.ts";

/*
 * A contact that toggles faster than its debounce or minimum opening would be swallowed by both, and a loose wire or a
 * sabotaged one would be silence. So many changes within a second are one trip and one fault instead.
 */

/** So many changes of level within CHATTER_WITHIN_MS are chatter. */
const CHATTER_CHANGES = 8;
const CHATTER_WINDOW_MS = 1_000;
/** A chattering contact has calmed down when its level has stayed so long. */
export const CHATTER_QUIET_MS = 10_000;
/** Changes closer together are one: a reed contact bounces for a few milliseconds whenever a door is closed. */
const BOUNCE_MS = 10;

interface Active {
  readonly level: Contact;
  readonly activity: readonly number[];
  readonly notBeforeMs: number;
  readonly chatter?: { readonly changes: number };
}

/** The state with a level that was just read: a change of it is kept as activity. */
export function withActivity<State extends Active>(state: State, level: Contact, atMs: number): State {
  if (level === state.level) return state;
  const lastMs = state.activity.at(-1);
  const isBounce = lastMs !== undefined && atMs - lastMs < BOUNCE_MS;
  // Levels that come to rest after a power-up are no chatter.
  if (isBounce || atMs < state.notBeforeMs) return { ...state, level };
  const activity = [...state.activity, atMs].slice(-CHATTER_CHANGES);
  const chatter = state.chatter && { changes: state.chatter.changes + 1 };
  return { ...state, level, activity, ...(chatter ? { chatter } : {}) };
}

/** Whether the last changes came so fast that a zone with these rules would not see them. */
export function isChatter(rules: ZoneRules, { activity }: Active): boolean {
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
 * Whether a zone swallows what is too short. Without a filter nothing is swallowed, and messages that waited at a broker
 * may well arrive all at once.
 */
export function isFiltered({ debounceMs, minOpenMs, confirmMs }: ZoneRules): boolean {
  return debounceMs > 0 || minOpenMs > 0 || confirmMs > 0;
}
