import { timeOf, type MessageContent } from "../../dc09/message.ts";
import { isDisarming } from "./alarm-panel-changes.ts";
import { withText, type AlarmPanelEvent } from "./alarm-panel-code.ts";
import { refusal } from "./alarm-panel-rejections.ts";
import { contactIdEvent } from "./contact-id.ts";
import { siaEvents } from "./sia-events.ts";

/**
 * Whether an event is left out because its message may be a recording or a late copy, which must neither disarm nor end an alarm or
 * a fault. What else it reports counts: an alarm too many is better than one too few.
 * @param isOld whether what it reports may have been over for some time
 * @param isRecorded whether the message is stored under another sequence
 */
export function isWithheld(event: AlarmPanelEvent, isOld: boolean, isRecorded: boolean): boolean {
  const disarms = isDisarming(event);
  const isEnd = disarms === undefined && event.change === "restored";
  return (disarms === true && (isOld || isRecorded)) || (isEnd && isOld);
}

/**
 * The events of a message, with those of all its blocks.
 * @param token its format
 * @returns undefined in the place of a block that cannot be read
 * @throws MessageRejection if no block can be read
 */
export function eventsOf(token: string, content: MessageContent): (AlarmPanelEvent | undefined)[] {
  const { data, furtherData, extended } = content;
  const read = READERS[token];
  if (!read) throw refusal("token");
  const blocks = [data, ...furtherData].filter((block) => block.trim() !== "");
  const events = blocks.flatMap<AlarmPanelEvent | undefined>((block) => read(block) ?? [undefined]);
  if (events.every((event) => event === undefined)) throw refusal("malformed");
  // Extended data "I" is the text of the event, of some makers in quotes.
  const common = (extended.find(({ id }) => id === "I")?.text ?? "").replace(/^"(.*)"$/, "$1");
  const lateness = latenessOf(content);
  return events.map((event) => event && { ...withText(event, common), ...lateness });
}

/** An event that was sent at once has a time of some seconds before. */
const LATE_MIN_MS = 30_000;
/** Longer ago is the time of a clock that was not set. */
const LATE_MAX_MS = 30 * 86_400_000;

/** How long before the message its event occurred, by the extended data "H", with the clock of the alarm panel for both. */
function latenessOf({ extended, sentWallMs }: MessageContent): Pick<AlarmPanelEvent, "lateMs"> {
  const occurredMs = timeOf(`_${extended.find(({ id }) => id === "H")?.text ?? ""}`) ?? null;
  if (occurredMs === null || sentWallMs === null) return {};
  const lateMs = sentWallMs - occurredMs;
  return lateMs > LATE_MIN_MS && lateMs < LATE_MAX_MS ? { lateMs } : {};
}

const READERS: Readonly<
  Record<string, (data: string) => AlarmPanelEvent | readonly AlarmPanelEvent[] | undefined>
> = { "ADM-CID": contactIdEvent, "SIA-DCS": siaEvents };
