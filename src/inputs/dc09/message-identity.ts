import { createHash } from "node:crypto";
import { lastBlockOf, type MessageContent, type MessageHead } from "../../dc09/message.ts";
import type { AlarmPanelMessage } from "../../store/alarm-panels.ts";

/** What identifies a message of a panel. Its hash is without padding and times, which a panel may renew when it repeats. */
export type MessageIdentity = Omit<AlarmPanelMessage, "atWallMs">;

/** What identifies a message, by the time that it has, checked or not. @param account of the configuration */
export function identityOf(account: string, head: MessageHead, content: MessageContent): MessageIdentity {
  const { sentWallMs } = content;
  return {
    account,
    sequence: head.sequence,
    hash: contentHash(head, content),
    sentWallMs,
    encryptedWallMs: head.isEncrypted ? sentWallMs : null,
    lastBlock: sentWallMs === null ? null : lastBlockOf(head),
  };
}

/** Hash of what a repetition has in common with its message. */
function contentHash({ token }: Pick<MessageHead, "token">, content: MessageContent): string {
  const { account, data, furtherData, extended } = content;
  // "H" is the time of the event, which some add only when they repeat the message.
  const lasting = extended.filter(({ id }) => id !== "H");
  return createHash("sha256")
    .update(JSON.stringify([token, account, data, lasting, ...furtherData]))
    .digest("base64url")
    .slice(0, 22);
}
