import type { OutboxEntry } from "../../domain/outbox.ts";

/* Values of `lastCode` of an outbox entry that decide about its next answer. */

/** The dispatch centre has answered a POST with a record that does not look like the one that was sent. */
export const ANOTHER_RECORD = "ANOTHER-RECORD";

/**
 * The dispatch centre has answered several POSTs of a record without it, and its list does not show it: each further one may create
 * one more.
 */
export const NOT_SHOWN = "NOT-SHOWN";

/* The list of the centre was incomplete although it responded. */
export const NO_PAGES = "NO-PAGES";
export const CHANGING = "CHANGING";
export const TOO_MANY = "TOO-MANY";
export const UNREAD = "UNREAD";
export const NO_IDS = "NO-IDS";

/** Codes of a record that the list of the centre neither shows nor disproves: a user has to ask the dispatcher. */
export const INCOMPLETE_LISTS: ReadonlySet<string> = new Set([
  NO_PAGES,
  CHANGING,
  TOO_MANY,
  UNREAD,
  NO_IDS,
  NOT_SHOWN,
]);

/** The account may not read, so that waiting does not help a search. */
export const READS_DENIED = "403";

/**
 * The last POST was answered with a success without the record, and a search since could not show it: each further request would
 * most likely create one more.
 */
export const ANSWERED = "ANSWERED";

/** The page of a network has answered a POST: nothing is known about earlier requests. */
export const PAGE = "PAGE";

/** Whether the centre has answered the last POST with a success without the record. */
export function isAnswered(lastCode: string | null): boolean {
  return lastCode === NOT_SHOWN || lastCode === ANSWERED || isSuccess(lastCode ?? "");
}

/** @param code of an answer */
export function isSuccess(code: string): boolean {
  return /^2\d\d$/.test(code);
}

/** Codes of an unconfirmed record of which no search shows whether it is at the centre. */
export const UNPROVED: ReadonlySet<string> = new Set([...INCOMPLETE_LISTS, READS_DENIED, ANSWERED]);

/**
 * The list of the centre could not be read completely, and a user has ordered a retry of the unconfirmed record. The user
 * confirms that the centre does not have it.
 */
export const DENIED = "DENIED";

/**
 * `lastCode` after a search that has not shown the record. What decides about the next request outlasts a failed search: a user's
 * order, and what the centre has answered.
 */
export function codeAfterSearch({ lastCode, deleted }: OutboxEntry, code: string): string {
  const isUnproved = UNPROVED.has(code);
  if (lastCode === DENIED && !deleted) return DENIED;
  if (lastCode !== null && isAnswered(lastCode) && code !== NOT_SHOWN)
    return isUnproved ? ANSWERED : lastCode;
  // A list that is read later must not make the next answer the first one again.
  return lastCode === ANOTHER_RECORD && !isUnproved ? ANOTHER_RECORD : code;
}

/**
 * Whether searches do not show if the record is at the centre: two in a row, because a gateway may deny one, or damage it, for a
 * moment.
 */
export function isUnprovedAgain({ lastCode }: OutboxEntry, code: string): boolean {
  return UNPROVED.has(code) && UNPROVED.has(lastCode ?? "");
}
