import type { OutboxPhase } from "./outbox.ts";

/** Where a record of each phase is on its way, and what happens next, for people. */
export const PHASE_WORDS: Readonly<Record<OutboxPhase, string>> = {
  new: "not at the centre yet; it is sent by itself",
  posting: "is being sent",
  unsure:
    "was sent and not answered; it is searched for at the centre, and sent again when it can no longer arrive",
  linked: "is at the centre; a later change is sent by itself",
  writing: "is at the centre; a change of it is being sent",
  blocked: "waits until the centre knows its objective",
  rejected: "is refused by the centre; edit it, or ask for another try (sync retry)",
  gone: "was deleted at the centre; make it there again (sync retry), give it up (sync drop), or delete it here",
  closed: "needs nothing more",
};
