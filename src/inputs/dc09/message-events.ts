import type { MessageContent } from "../../dc09/message.ts";
import { isDisarming } from "./alarm-panel-changes.ts";
import { withText, type AlarmPanelEvent } from "./alarm-panel-code.ts";
import { refusal } from "./alarm-panel-rejections.ts";
import { contactIdEvent } from "./contact-id.ts";
import type { MessageTime } from "./message-times.ts";
import { siaEvents } from "./sia-events.ts";

/**
 * Whether an event is left out because its message may be a recording, which must neither disarm nor end an alarm or a fault. What
 * else a recording reports counts: an alarm too many is better than one too few.
 * @param isRecorded whether the message is stored under another sequence
 */
export function isWithheld(event: AlarmPanelEvent, { isOld }: MessageTime, isRecorded: boolean): boolean {
  const disarms = isDisarming(event);
  const isEnd = disarms === undefined && event.change === "restored";
  return (disarms === true && (isOld || isRecorded)) || (isEnd && isOld);
}

/**
 * The events of a message, with those of all its blocks that can be read.
 * @param token its format
 * @throws MessageRejection if no block can be read
 */
export function eventsOf(token: string, { data, furtherData, extended }: MessageContent): AlarmPanelEvent[] {
  const read = READERS[token];
  if (!read) throw refusal("token");
  const events = [data, ...furtherData].flatMap((block) => read(block) ?? []);
  if (events.length === 0) throw refusal("malformed");
  // Extended data "I" is the text of the event.
  const common = extended.find(({ id }) => id === "I")?.text ?? "";
  return events.map((event) => withText(event, common));
}

const READERS: Readonly<
  Record<string, (data: string) => AlarmPanelEvent | readonly AlarmPanelEvent[] | undefined>
> = { "ADM-CID": contactIdEvent, "SIA-DCS": siaEvents };
