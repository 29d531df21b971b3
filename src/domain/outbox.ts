/**
 * Where one record stands on its way to the centre. The entry says which revision is wanted there and which one is
 * known to be there; it is no list of operations, so any number of changes while the link is down is one request.
 */
export interface OutboxEntry {
  readonly interventionId: number;
  readonly phase: OutboxPhase;
  /** 0 goes first. */
  readonly rank: number;
  /** The record's revision that the centre should have. */
  readonly wantRev: number;
  /** The revision that the centre is known to have; 0 for none. */
  readonly syncedRev: number;
  readonly deleted: boolean;
  /** The record's id at the centre; null until known. */
  readonly upstreamId: number | null;
  /** The centre's representation that both sides last agreed on, as JSON; null until known. */
  readonly base: string | null;
  /** The record's own fields as they were when both sides agreed, as JSON; a centre may write a value in another way. */
  readonly agreed: string | null;
  /** The attempt as it was first sent: every resend is the same key with the same bytes. Kept for the sweeps after it. */
  readonly attempt: OutboxAttempt | null;
  /** The centre's highest id before the first send: a record of ours that came in since is above it. Null before it. */
  readonly watermark: number | null;
  /** What the record of that id was known by, as JSON: without it there, ours may be below. Null where unknown. */
  readonly witness: string | null;
  /** Whether a POST was ever left unanswered, so that a second one of it may exist or still come. */
  readonly doubted: boolean;
  /** Searches for such doubles so far. */
  readonly sweeps: number;
  /** Wall clock of the next one, milliseconds since 1970; null when none is needed. */
  readonly sweepAtMs: number | null;
  /** Values that unanswered updates put on the wire and that may still arrive: they are ours and no dispatcher's. */
  readonly ghosts: Ghosts;
  /** Wall clock until which they may arrive, milliseconds since 1970; null when there are none. */
  readonly ghostsUntilMs: number | null;
  /** Wall clock at which the record is read again at the centre, milliseconds since 1970; null for never. */
  readonly verifyAtMs: number | null;
  /**
   * Wall clock since which the centre does not show the record, or shows one that may be another's, milliseconds since
   * 1970; null while there is no such doubt.
   */
  readonly missingSinceMs: number | null;
  /** How often the centre has refused an alarm's content since it last took it. */
  readonly refusals: number;
  /** How many POSTs may have landed at the centre. */
  readonly sends: number;
  /** Failed attempts since the last success. */
  readonly attempts: number;
  /** Wall clock before which it is left alone, milliseconds since 1970. */
  readonly nextAtMs: number;
  /** Status code or error code of the last answer; null before the first. */
  readonly lastCode: string | null;
  /** The last answer in words; null after a success. */
  readonly lastError: string | null;
}

export interface OutboxAttempt {
  readonly key: string;
  readonly body: string;
  readonly rev: number;
  /** Wall clock of the last moment at which it was on the wire, milliseconds since 1970. */
  readonly atMs: number;
}

/** Field -> values. */
export type Ghosts = Readonly<Record<string, readonly unknown[]>>;

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
 * - `found`: the search found the record at the centre. `absent`: it is not there and cannot come any more.
 * - `mistaken`: what is at the centre under the record's id there is another record.
 * - `applied`: the centre has done it. `removed`: it has deleted the record.
 * - `not-applied`: it certainly has not, and may do so later.
 * - `ambiguous`: it may have.
 * - `refused`: it never will with this content.
 * - `missing`: it does not know the objective (of a POST) or the record (read before a PUT).
 * - `edited`, `deleted`: a local change. `withdrawn`: deleted before anything was sent.
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
  "retry",
  "restart",
] as const;

/** What deleting a record means for its entry: `withdrawn` only where nothing of it can be at the centre. */
export function deletionOf({ phase, upstreamId, sends }: OutboxEntry): "withdrawn" | "deleted" {
  const canBeThere = upstreamId !== null || sends > 0 || TRANSITIONS[phase].withdrawn === "impossible";
  return canBeThere ? "deleted" : "withdrawn";
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
  // An operator's retry makes it anew, and looks for it before: an answer that was believed may have been a gateway's.
  gone: {
    ...forbid(),
    // What was deleted there was one of two.
    found: "linked",
    edited: "gone",
    deleted: "closed",
    withdrawn: "closed",
    retry: "unsure",
    restart: "gone",
  },
  closed: { ...forbid(), edited: "closed", deleted: "closed", retry: "closed", restart: "closed" },
};

function forbid(): Record<OutboxEvent, "impossible"> {
  return Object.fromEntries(EVENTS.map((event) => [event, "impossible"])) as Record<
    OutboxEvent,
    "impossible"
  >;
}

/** A `verifyAtMs` that says: the centre was restored from a backup, and what it does not know it has lost. */
export const AUDIT_AT_MS = 0;
