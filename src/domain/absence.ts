/*
 * One 404 does not prove that a record was deleted at the dispatch centre: a gateway may answer 404, a replica may lag, a
 * list may be incomplete. Two checks and the list must agree.
 */

/** Minimum time until the second check: longer than any replica lag or gateway restart. */
export const SECOND_CHECK_MS = 120_000;

/** Code of a record that is missing while the centre has no newer one: it was deleted, or lost in a restore from a backup. */
export const NEWEST_MISSING = "NEWEST-MISSING";

/** Code of a record that exists at the centre, where the account of the site may not use it. */
export const OUT_OF_SCOPE = "out-of-scope";

/** What the centre's list shows of an id: `passed` if the list was read past it and does not contain it. */
export type ListPresence = "listed" | "passed" | "undetermined";

export type AbsenceStep =
  /** The list is to be read as well. */
  | { readonly kind: "ask-list" }
  /** Not certain: store `sinceMs` and check again at `againAtMs`. */
  | { readonly kind: "wait"; readonly sinceMs: number; readonly againAtMs: number }
  /** The record was deleted. */
  | { readonly kind: "believe" };

/**
 * Decides what follows when the centre reports that it does not have a record.
 * @param sinceMs wall clock of the first such response in a row, milliseconds since 1970; null for the first one
 * @param list what the list showed in this check; undefined if it was not read
 */
export function judgeAbsence(sinceMs: number | null, nowMs: number, list?: ListPresence): AbsenceStep {
  if (sinceMs === null) return { kind: "wait", sinceMs: nowMs, againAtMs: nowMs + FIRST_WAIT_MS };
  const ageMs = nowMs - sinceMs;
  if (ageMs < SECOND_CHECK_MS) {
    const waitMs = Math.min(SECOND_CHECK_MS - ageMs, Math.max(FIRST_WAIT_MS, ageMs));
    return { kind: "wait", sinceMs, againAtMs: nowMs + waitMs };
  }
  if (list === undefined) return { kind: "ask-list" };
  if (list === "passed") return { kind: "believe" };
  // A list that contains the record contradicts the response: start again.
  const fromMs = list === "listed" ? nowMs : sinceMs;
  return { kind: "wait", sinceMs: fromMs, againAtMs: nowMs + SECOND_CHECK_MS };
}

/** First wait: a change must not be delayed for minutes by a replica that lags for seconds. */
const FIRST_WAIT_MS = 10_000;
