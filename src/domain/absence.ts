/*
 * That a record is no longer at the centre is believed of no single answer: a gateway answers 404 by itself, a copy that is
 * read may lag, a list may be cut. Two looks and the list must agree.
 */

/** The second look comes no sooner: longer than any copy lags and any gateway is being restarted. */
export const SECOND_LOOK_MS = 120_000;

/** What the centre's list says of an id: `passed` if it demonstrably went past it, and it is not there. */
export type ListPresence = "listed" | "passed" | "undetermined";

export type AbsenceStep =
  /** The list is to be read as the second witness. */
  | { readonly kind: "ask-list" }
  /** Doubtful: `sinceMs` is kept, and it is looked at again at `againAtMs`. */
  | { readonly kind: "wait"; readonly sinceMs: number; readonly againAtMs: number }
  /** It is gone. */
  | { readonly kind: "believe" };

/**
 * What follows when the centre says that it does not have a record.
 * @param sinceMs wall clock of the first such answer in a row, milliseconds since 1970; null before this one
 * @param list what the list said at this look; undefined before it was asked
 */
export function judgeAbsence(sinceMs: number | null, nowMs: number, list?: ListPresence): AbsenceStep {
  if (sinceMs === null) return { kind: "wait", sinceMs: nowMs, againAtMs: nowMs + FIRST_WAIT_MS };
  const ageMs = nowMs - sinceMs;
  if (ageMs < SECOND_LOOK_MS) {
    const waitMs = Math.min(SECOND_LOOK_MS - ageMs, Math.max(FIRST_WAIT_MS, ageMs));
    return { kind: "wait", sinceMs, againAtMs: nowMs + waitMs };
  }
  if (list === undefined) return { kind: "ask-list" };
  if (list === "passed") return { kind: "believe" };
  // A list that shows it contradicts the answer: that one was no witness.
  const fromMs = list === "listed" ? nowMs : sinceMs;
  return { kind: "wait", sinceMs: fromMs, againAtMs: nowMs + SECOND_LOOK_MS };
}

/** A change must not wait for minutes because of a copy that lags by seconds: looks in between believe what they see. */
const FIRST_WAIT_MS = 10_000;
