/**
 * - `new`: the centre has nothing of it.
 * - `posting`: a POST is on the wire. Found at start, it means the process died there.
 * - `unsure`: a POST may or may not have been applied.
 * - `linked`: the record's id at the centre is known.
 * - `writing`: a PUT or DELETE is on the wire.
 * - `blocked`: the centre does not know the objective yet.
 * - `rejected`: the centre refuses the content; waits for an edit or an operator.
 * - `gone`: the centre has deleted it.
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
 * - `send`: the attempt is frozen and about to go on the wire. `look`: it may be there already and is looked for first.
 * - `found`: the search found the record at the centre. `absent`: it is not there and can no longer arrive.
 * - `mistaken`: what is at the centre under the record's id there is another record.
 * - `applied`: the centre has done it. `removed`: it has deleted the record.
 * - `not-applied`: it certainly has not, and may do so later.
 * - `ambiguous`: it may have.
 * - `refused`: it never will with this content.
 * - `missing`: it does not know the objective (of a POST) or the record (read before a PUT).
 * - `edited`, `deleted`: a local change. `withdrawn`: deleted before anything was sent.
 * - `joined`: a trip has joined the record after the centre, or a person, was done with it.
 * - `retry`: an operator or the passing of time asks for another try. `restart`: found at start.
 */
export type OutboxEvent = (typeof EVENTS)[number];
/** Every event, in the order of its explanation. */
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

/** Whether what is deleted in a phase needs nothing at the centre, if nothing of it can be there. */
export function isWithdrawable(phase: OutboxPhase): boolean {
  return TRANSITIONS[phase].withdrawn !== "impossible";
}

/** The phase after an event; `linked` says whether the record's id at the centre is known. */
export function nextPhase(phase: OutboxPhase, event: OutboxEvent, linked: boolean): OutboxPhase {
  const next = TRANSITIONS[phase][event];
  if (next === "reopened") return linked ? "linked" : "new";
  if (next === "let-go") return linked ? "linked" : "closed";
  if (next === "impossible") throw new Error(`an outbox entry in phase ${phase} cannot meet ${event}`);
  return next;
}

/**
 * `reopened`: back to work. `let-go`: what the centre has is still to be deleted there; what it never took needs nothing
 * more, and must not be sent for the sake of being deleted.
 */
type Cell = OutboxPhase | "reopened" | "let-go" | "impossible";

/** Total: a phase or an event without its cells does not compile. */
const TRANSITIONS: Readonly<Record<OutboxPhase, Readonly<Record<OutboxEvent, Cell>>>> = {
  new: {
    ...forbid(),
    send: "posting",
    look: "unsure",
    edited: "new",
    deleted: "new",
    withdrawn: "closed",
    retry: "new",
    restart: "new",
  },
  posting: {
    ...forbid(),
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
    ...forbid(),
    send: "posting",
    found: "linked",
    absent: "closed",
    edited: "unsure",
    deleted: "unsure",
    retry: "unsure",
    restart: "unsure",
  },
  linked: {
    ...forbid(),
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
    ...forbid(),
    applied: "linked",
    removed: "closed",
    mistaken: "unsure",
    "not-applied": "linked",
    // A PUT of values and a DELETE may be repeated, so not knowing costs only another try.
    ambiguous: "linked",
    refused: "rejected",
    edited: "writing",
    deleted: "writing",
    retry: "writing",
    restart: "linked",
  },
  blocked: {
    ...forbid(),
    edited: "new",
    deleted: "closed",
    withdrawn: "closed",
    retry: "new",
    restart: "blocked",
  },
  rejected: {
    ...forbid(),
    mistaken: "unsure",
    edited: "reopened",
    deleted: "let-go",
    withdrawn: "closed",
    retry: "reopened",
    restart: "rejected",
  },
  // An operator's retry makes it again, and looks for it before: an answer that was accepted may have been a gateway's.
  gone: {
    ...forbid(),
    // What was deleted there was one of two.
    found: "linked",
    edited: "gone",
    deleted: "closed",
    withdrawn: "closed",
    joined: "unsure",
    retry: "unsure",
    restart: "gone",
  },
  closed: {
    ...forbid(),
    edited: "closed",
    deleted: "closed",
    joined: "reopened",
    retry: "closed",
    restart: "closed",
  },
};

function forbid(): Record<OutboxEvent, "impossible"> {
  return Object.fromEntries(EVENTS.map((event) => [event, "impossible"])) as Record<
    OutboxEvent,
    "impossible"
  >;
}
