/* Values of `lastCode` of an outbox entry that decide about its next answer. */

/** The dispatch centre has answered a POST with a record that does not look like the one that was sent. */
export const ANOTHER_RECORD = "ANOTHER-RECORD";

/**
 * The list of the centre could not be read completely, and a user has ordered a retry of the unconfirmed record. The user
 * confirms that the centre does not have it.
 */
export const DENIED = "DENIED";
