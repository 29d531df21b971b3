/**
 * Phases of an outbox entry, as stored. The names that differ from the glossary are kept for stored data.
 * - `new`: not at the centre.
 * - `posting`: a POST is in progress. Found at the start, it means that the process was killed.
 * - `unsure`: unconfirmed; a POST may have been applied.
 * - `linked`: the record's id at the centre is known.
 * - `writing`: a PUT or DELETE is in progress.
 * - `blocked`: the centre does not know the objective yet.
 * - `rejected`: the centre rejects the content; needs an edit or an operator.
 * - `gone`: deleted at the centre.
 * - `closed`: nothing is left to do.
 */
export type OutboxPhase =
  | "new"
  | "posting"
  | "unsure"
  | "linked"
  | "writing"
  | "blocked"
  | "rejected"
  | "gone"
  | "closed";

/**
 * - `send`: the attempt is stored and about to be sent. `look`: it may be there already and is searched for first.
 * - `found`: the search found the record at the centre. `absent`: it is not there and can no longer arrive.
 * - `mistaken`: the record's id at the centre belongs to another record.
 * - `applied`: the centre has applied the change. `removed`: it has deleted the record.
 * - `not-applied`: it has certainly not applied it, and may do so later.
 * - `ambiguous`: it may have applied it.
 * - `refused`: it rejects this content permanently.
 * - `missing`: it does not know the objective (of a POST) or the record (read before a PUT).
 * - `edited`, `deleted`: a local change. `withdrawn`: deleted before anything was sent.
 * - `joined`: a trip has joined the record after it was done or deleted.
 * - `retry`: a new attempt, automatic or ordered by an operator. `restart`: found at the start.
 */
export type OutboxEvent = (typeof EVENTS)[number];
/** Every event, in the order above. */
export const EVENTS = [
  "send",
  "look",
  "found",
  "absent",
  "mistaken",
  "applied",
  "removed",
  "not-applied",
  "ambiguous",
  "refused",
  "missing",
  "edited",
  "deleted",
  "withdrawn",
  "joined",
  "retry",
  "restart",
] as const;

/** Whether an entry deleted in a phase needs no request, if no copy can be at the centre. */
export function isWithdrawable(phase: OutboxPhase): boolean {
  return TRANSITIONS[phase].withdrawn !== "impossible";
}

/** The phase after an event. @param linked whether the record's id at the centre is known */
export function nextPhase(phase: OutboxPhase, event: OutboxEvent, linked: boolean): OutboxPhase {
  const next = TRANSITIONS[phase][event];
  if (next === "reopened") return linked ? "linked" : "new";
  if (next === "let-go") return linked ? "linked" : "closed";
  if (next === "impossible")
    throw new Error(`outbox entry in phase ${phase} does not accept the event ${event}`);
  return next;
}

/**
 * `reopened`: back to the queue. `let-go`: a linked record is still to be deleted at the centre; an unlinked one needs
 * nothing more and must not be sent only to be deleted.
 */
type Cell = OutboxPhase | "reopened" | "let-go" | "impossible";

/** Complete: a missing phase or event does not compile. */
const TRANSITIONS: Readonly<Record<OutboxPhase, Readonly<Record<OutboxEvent, Cell>>>> = {
  new: {
    ...allImpossible(),
    send: "posting",
    look: "unsure",
    edited: "new",
    deleted: "new",
    withdrawn: "closed",
    retry: "new",
    restart: "new",
  },
  posting: {
    ...allImpossible(),
    applied: "linked",
    "not-applied": "new",
    ambiguous: "unsure",
    refused: "rejected",
    missing: "blocked",
    mistaken: "unsure",
    edited: "posting",
    deleted: "posting",
    retry: "posting",
    restart: "unsure",
  },
  unsure: {
    ...allImpossible(),
    send: "posting",
    found: "linked",
    absent: "closed",
    edited: "unsure",
    deleted: "unsure",
    retry: "unsure",
    restart: "unsure",
  },
  linked: {
    ...allImpossible(),
    send: "writing",
    applied: "linked",
    removed: "closed",
    missing: "gone",
    mistaken: "unsure",
    edited: "linked",
    deleted: "linked",
    retry: "linked",
    restart: "linked",
  },
  writing: {
    ...allImpossible(),
    applied: "linked",
    removed: "closed",
    mistaken: "unsure",
    "not-applied": "linked",
    // PUT and DELETE are idempotent, so an ambiguous result only costs another attempt.
    ambiguous: "linked",
    refused: "rejected",
    edited: "writing",
    deleted: "writing",
    retry: "writing",
    restart: "linked",
  },
  blocked: {
    ...allImpossible(),
    edited: "new",
    deleted: "closed",
    withdrawn: "closed",
    retry: "new",
    restart: "blocked",
  },
  rejected: {
    ...allImpossible(),
    mistaken: "unsure",
    edited: "reopened",
    deleted: "let-go",
    withdrawn: "closed",
    retry: "reopened",
    restart: "rejected",
  },
  // A retry searches before it creates the record again: the accepted 404 may have been a gateway's.
  gone: {
    ...allImpossible(),
    // The copy deleted there was one of two.
    found: "linked",
    edited: "gone",
    deleted: "closed",
    withdrawn: "closed",
    joined: "unsure",
    retry: "unsure",
    restart: "gone",
  },
  closed: {
    ...allImpossible(),
    edited: "closed",
    deleted: "closed",
    joined: "reopened",
    retry: "closed",
    restart: "closed",
  },
};

function allImpossible(): Record<OutboxEvent, "impossible"> {
  return Object.fromEntries(EVENTS.map((event) => [event, "impossible"])) as Record<
    OutboxEvent,
    "impossible"
  >;
}
