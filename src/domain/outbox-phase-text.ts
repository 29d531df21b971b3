import type { DifferenceKind } from "./difference.ts";
import type { ShownPhase } from "./shown-phase.ts";

/** State of a record for users, by phase, and what happens next. */
export const PHASE_TEXTS: Readonly<Record<ShownPhase, string>> = {
  new: "waiting to be sent",
  posting: "being sent",
  unsure: "sent, no response; searching the dispatch centre before resending",
  linked: "synced; changes are sent automatically",
  writing: "synced; a change is being sent",
  blocked: "waiting until the dispatch centre has its objective",
  rejected: "rejected by the dispatch centre; edit it or retry (sync retry)",
  gone: "deleted at the dispatch centre; create it there again (sync retry), keep it only here (sync drop), or delete it here",
  "out-of-scope":
    "at the dispatch centre, where the account of this site may not use it; keep it only here (sync drop), or delete it here",
  doubtful:
    "not found at the dispatch centre, or found with different content; it is checked again before changes are sent",
  closed: "finished",
};

/** The same in a few words, as in the panel. */
export const PHASE_WORDS: Readonly<Record<ShownPhase, string>> = {
  new: "to be sent",
  posting: "being sent",
  unsure: "sent, no response",
  linked: "change to be sent",
  writing: "change being sent",
  blocked: "objective missing at the dispatch centre",
  rejected: "rejected by the dispatch centre",
  gone: "deleted by the dispatch centre",
  "out-of-scope": "not accessible to this site",
  doubtful: "not listed by the dispatch centre; checking again",
  closed: "closed",
};

/** Of a record in phase `linked` of which the centre lacks the latest revision. */
export const CHANGE_WAITS_TEXT = "the dispatch centre has it, but not the latest change, which waits";

/** Difference between a local record and the centre's list, for users. */
export const DIFFERENCE_TEXTS: Readonly<Record<DifferenceKind, string>> = {
  "missing-there": "missing at the dispatch centre; it is checked there and created again if it was deleted",
  anothers:
    "its id at the dispatch centre belongs to another record; it is searched for, and created again if not found",
  "twice-there":
    "more than one record at the dispatch centre has its reference; duplicates are removed, except copies by dispatchers",
  "alive-there":
    "deleted here but still at the dispatch centre; it is removed there, except copies by dispatchers",
  "unknown-here": "has this site's reference but is unknown here; it is imported",
};
