import type { DifferenceKind } from "./difference.ts";
import type { ShownPhase } from "./shown-phase.ts";

/** Where a record of each phase is on its way, and what happens next, for people. */
export const PHASE_WORDS: Readonly<Record<ShownPhase, string>> = {
  new: "not at the centre yet; it is sent by itself",
  posting: "is being sent",
  unsure:
    "was sent and not answered; it is searched for at the centre, and sent again when it can no longer arrive",
  linked: "is at the centre; a later change is sent by itself",
  writing: "is at the centre; a change of it is being sent",
  blocked: "waits until the centre knows its objective",
  rejected: "is refused by the centre; edit it, or ask for another try (sync retry)",
  gone: "was deleted at the centre; make it there again (sync retry), give it up (sync drop), or delete it here",
  doubtful:
    "is not shown by the centre, or no longer like this one; it is looked at again, and a change of it waits until that is sure",
  closed: "needs nothing more",
};

/** What differs between a record here and the centre's list, for people. */
export const DIFFERENCE_WORDS: Readonly<Record<DifferenceKind, string>> = {
  "missing-there": "is not on the centre's list; it is looked up there and made again if it is gone",
  anothers:
    "has an id at the centre that is another record's now; it is searched for, and made again if it is nowhere",
  "twice-there":
    "is at the centre more than once; all but one are removed, unless people have worked on them",
  "alive-there": "was deleted here and is at the centre again; it is removed there",
  "unknown-here": "bears this site's reference and was not known here; it is taken over",
};
