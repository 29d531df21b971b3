import type { OutboxSummary } from "../domain/outbox.ts";
import { t } from "./i18n.ts";

/** What is still queued after an attempt to send everything, and what a user has to look at. */
export function queuedText({ waiting, blocked, rejected, gone }: OutboxSummary): string {
  const stuck = blocked + rejected + gone;
  const texts = [
    t("sync.done", { n: waiting }),
    ...(stuck === 0 ? [] : [t("sync.needsAttention", { n: stuck })]),
  ];
  return texts.join("; ");
}
