import { foreignName } from "../../domain/single-line.ts";
import type { ZoneKind } from "../../domain/zone.ts";

/**
 * What a code of an alarm panel reports.
 * - `alarm`: a detector or button; `kind` is the zone type of a zone that is made for it
 * - `tamper`, `battery`, `supervision`: a fault of a detector, or of the panel if it has no such zone
 * - `trouble`: a fault of the panel itself, until it reports the end; with `endsAt`, also until the next opening or closing
 * - `arming`: opening (disarmed) or closing (armed); with `isAlwaysArmed`, a code that only reports that it is armed
 * - `bypass`: a zone is held back at the panel; `endsAt` as for a trouble
 * - `test`: a test report
 * - `note`: recorded only
 */
export type CodeMeaning =
  | { readonly what: "alarm"; readonly kind: ZoneKind }
  | { readonly what: "arming"; readonly isAlwaysArmed?: true }
  | { readonly what: "trouble" | "bypass"; readonly endsAt?: "opening" | "closing" }
  | { readonly what: "tamper" | "battery" | "supervision" | "test" | "note" };

/** `new`: it begins, or the panel is disarmed; `restored`: it ends, or the panel is armed; `present`: it continues. */
export type CodeChange = "new" | "restored" | "present";

/** One event of an alarm panel. */
export interface AlarmPanelEvent {
  /** As sent: three digits of Contact ID or two letters of SIA. */
  readonly code: string;
  /** The codes of the beginnings that it concerns: one for a beginning, all that it ends for a restoral. */
  readonly bases: readonly string[];
  readonly change: CodeChange;
  /** Undefined for an unknown code. */
  readonly meaning: CodeMeaning | undefined;
  /** Partition or area; null if none was sent. */
  readonly partition: number | null;
  /** Number of the zone, or of the user for openings and closings; null if none was sent. */
  readonly number: number | null;
  /** Text of the panel; empty without one. */
  readonly text: string;
  /** Milliseconds since it occurred, if it is reported late. */
  readonly lateMs?: number;
}

/** Characters of an event's text that are kept. */
const TEXT_MAX = 100;

/**
 * An event with its text as it may go into names, the log and terminals.
 * @param common text of the whole message, for an event without one
 */
export function withText(event: AlarmPanelEvent, common: string): AlarmPanelEvent {
  return { ...event, text: foreignName(event.text === "" ? common : event.text, TEXT_MAX) };
}
