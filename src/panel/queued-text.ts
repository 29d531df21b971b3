import type { SyncView } from "../site/sync-view.ts";
import { t, translateDaemonText } from "./i18n.ts";
import { showNotice } from "./notice.tsx";
import { needsAttention } from "./sync-badge.tsx";

/** Shows what is still queued after an attempt to send everything and why, and what a user has to look at. */
export function showQueued({ link, summary, records }: SyncView): void {
  const { waiting, blocked, rejected, gone } = summary;
  const stuck = blocked + rejected + gone;
  const left = [
    t("sync.done", { n: waiting }),
    ...(stuck === 0 ? [] : [t("sync.needsAttention", { n: stuck })]),
  ];
  const tried = records.find(({ phase, attempts }) => !needsAttention(phase) && attempts > 0);
  const reason = link.state === "down" ? linkReason(link) : sentence(tried?.lastResponse ?? null);
  // Without a reason what waits is being sent, as one of many.
  if (waiting === 0 || reason === "") showNotice(left.join("; "), stuck > 0);
  else showNotice(notSent(reason), true);
}

/** Why a record that was retried is not sent; undefined if it is sent, or no response to it has come yet. */
export function notSentText({ link, records }: SyncView, interventionId: number): string | undefined {
  const record = records.find((one) => one.interventionId === interventionId);
  if (!record) return undefined;
  const isRefused = needsAttention(record.phase);
  const reason = isRefused || link.state !== "down" ? sentence(record.lastResponse) : linkReason(link);
  return reason === "" ? undefined : notSent(reason);
}

function notSent(reason: string): string {
  return t("sync.failed", { reason });
}

function linkReason({ cause, reason }: SyncView["link"]): string {
  return cause === null ? sentence(reason) : t(`link.cause.${cause}`);
}

/** What the daemon says, as a sentence in the language of the user; empty for null. */
function sentence(text: string | null): string {
  if (text === null) return "";
  const said = translateDaemonText(text) ?? text;
  return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, "")}.`;
}
