/**
 * How far records have come, as a list is filtered by it. `arrived`: the dispatch centre has the newest revision. `waiting`: it
 * is sent, or searched for there, without a user. `attention`: it needs a user. A record that was dropped is in none of them.
 */
export type SyncGroup = (typeof SYNC_GROUPS)[number];
export const SYNC_GROUPS = ["arrived", "waiting", "attention"] as const;
