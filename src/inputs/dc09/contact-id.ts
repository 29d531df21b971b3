import type { ZoneKind } from "../../domain/zone.ts";
import type { CodeChange, CodeMeaning, AlarmPanelEvent } from "./alarm-panel-code.ts";

/** A range of event codes of SIA DC-05-1999.09 (Ademco Contact ID), annex of event codes, with their meaning. */
type Row = readonly [from: number, to: number, meaning: CodeMeaning];

const alarm = (kind: ZoneKind): CodeMeaning => ({ what: "alarm", kind });
const TAMPER = { what: "tamper" } as const;
const BATTERY = { what: "battery" } as const;
const SUPERVISION = { what: "supervision" } as const;
const TROUBLE = { what: "trouble" } as const;
const ARMING = { what: "arming" } as const;
const ARMED = { what: "arming", isAlwaysArmed: true } as const;
/** The system is not armed although it should be, so alarms of its zones are suppressed: until a closing. */
const UNARMED = { what: "trouble", endsAt: "closing" } as const;
/** Until a user code is right again: an opening. */
const WRONG_CODE = { what: "trouble", endsAt: "opening" } as const;
const BYPASS = { what: "bypass" } as const;
/** Of a zone that is armed and disarmed: most panels end its bypass with the opening, and do not report that. */
const BYPASS_WHILE_ARMED = { what: "bypass", endsAt: "opening" } as const;
const TEST = { what: "test" } as const;
const NOTE = { what: "note" } as const;

/**
 * In ascending order, without overlaps. The class of each hundred is in the headings of DC-05: every code below 200 is an alarm, so
 * those that the standard does not list, such as of a manufacturer, are alarms of the ten that they are in.
 */
const ROWS: readonly Row[] = [
  // Medical alarms: medical, personal emergency, failure to report in.
  [100, 109, alarm("medical")],
  // Fire alarms. 113 is the flow of water in a sprinkler system, so a fire; a leak is 154.
  [110, 119, alarm("fire")],
  // Panic alarms: panic, duress, silent, audible, duress at an access point, suspected hold-up.
  [120, 120, alarm("panic")],
  [121, 122, alarm("holdup")],
  [123, 123, alarm("panic")],
  [124, 126, alarm("holdup")],
  // 129 is a confirmed hold-up (BS 8243), as 139 is a confirmed burglary.
  [127, 129, alarm("holdup")],
  // Burglar alarms.
  [130, 130, alarm("intrusion")],
  [131, 131, alarm("perimeter")],
  [132, 132, alarm("motion")],
  [133, 135, alarm("intrusion")],
  [136, 136, alarm("perimeter")],
  [137, 137, TAMPER],
  [138, 139, alarm("intrusion")],
  // General alarms: polling loop, failed modules, tampered sensors and modules, silent burglary, lost supervision.
  [140, 140, alarm("intrusion")],
  [141, 143, TROUBLE],
  [144, 145, TAMPER],
  [146, 146, alarm("intrusion")],
  [147, 147, SUPERVISION],
  [148, 149, alarm("intrusion")],
  // 24-hour alarms other than burglary: gas, refrigeration, heating, water, foil, low gas bottle, temperature, air, CO.
  [150, 150, alarm("technical")],
  [151, 151, alarm("gas")],
  [152, 153, alarm("technical")],
  [154, 154, alarm("flood")],
  [155, 155, alarm("glass")],
  [156, 156, TROUBLE],
  [157, 161, alarm("technical")],
  [162, 162, alarm("gas")],
  [163, 169, alarm("technical")],
  // Of no kind that the standard knows.
  [170, 199, alarm("intrusion")],
  // Fire supervisory: pressure, valves, pumps.
  [200, 206, alarm("technical")],
  // System troubles: 301 mains, 302 and 309 battery, 316 tamper of the system. A reset by the system or by an engineer and a
  // changed program happen once and have no restoral.
  [300, 304, TROUBLE],
  [305, 306, NOTE],
  [307, 312, TROUBLE],
  [313, 313, NOTE],
  [314, 315, TROUBLE],
  [316, 316, TAMPER],
  [320, 340, TROUBLE],
  [341, 341, TAMPER],
  [342, 349, TROUBLE],
  // Communication troubles: 350 and 360.
  [350, 369, TROUBLE],
  // Protection loops: open, short, fire; 374 is an exit error, reported as an alarm of the zone.
  [370, 373, TROUBLE],
  [374, 374, alarm("intrusion")],
  [375, 380, TROUBLE],
  // Sensors: 381 and 382 lost supervision, 383 tamper, 384 battery.
  [381, 382, SUPERVISION],
  [383, 383, TAMPER],
  [384, 384, BATTERY],
  [385, 394, TROUBLE],
  // Openings and closings: by user, group, automatic, deferred, remote, quick, key switch; 406 cancels an alarm.
  [400, 403, ARMING],
  [404, 404, NOTE],
  [405, 405, ARMING],
  [406, 406, NOTE],
  [407, 409, ARMING],
  // Remote access; after 414 and 415 the panel, or its communicator, was shut down by it.
  [410, 413, NOTE],
  [414, 415, TROUBLE],
  [416, 416, NOTE],
  // Access control. 423 is a door that was forced; 426 one that is propped open, which happens all day where people work. 427, 428
  // and 432: its contact, its button or its lock has failed. With 434 its contact is shunted, so that it raises no alarm.
  [421, 422, NOTE],
  [423, 423, alarm("intrusion")],
  [424, 425, NOTE],
  [426, 428, TROUBLE],
  [429, 431, NOTE],
  [432, 432, TROUBLE],
  [433, 433, NOTE],
  [434, 434, BYPASS],
  // Armed in part (stay), by user and by key switch.
  [441, 442, ARMING],
  // Early and late openings and closings; 453 to 455 failed to happen. After a missing opening the site is armed. 456, partial arming, and 463, armed again after an alarm,
  // arm with any qualifier: Paradox reports a partial arming as 1456, beside 3401 for a closing.
  [450, 452, ARMING],
  [453, 453, NOTE],
  [454, 455, UNARMED],
  [456, 456, ARMED],
  // Exit error of a user, user on the premises, recent closing, legal code: notes to an alarm or opening. 461 is a wrong code.
  [457, 460, NOTE],
  [461, 461, WRONG_CODE],
  [462, 462, NOTE],
  [463, 463, ARMED],
  [464, 466, NOTE],
  // Parts that are disabled: readers, then sounders and relays; modules that were added or removed; communicators, and the remote
  // access.
  [501, 519, NOTE],
  [520, 530, TROUBLE],
  [531, 532, NOTE],
  [551, 552, TROUBLE],
  [553, 553, NOTE],
  // Bypasses of zones: of fire and of zones that are armed around the clock (571, 572), of access points (576, 577).
  [570, 570, BYPASS_WHILE_ARMED],
  [571, 572, BYPASS],
  [573, 575, BYPASS_WHILE_ARMED],
  [576, 577, BYPASS],
  [578, 579, BYPASS_WHILE_ARMED],
  // Tests; 607 is a walk test, 611 to 615 its points. 616 asks for a technician.
  [601, 609, TEST],
  [611, 615, TEST],
  [616, 616, TROUBLE],
  // Event log, clock and programming.
  [621, 632, NOTE],
  // A person at home who does not move; a child that has come home; reserved; nothing has moved in the whole system.
  [641, 641, TROUBLE],
  [642, 642, NOTE],
  [651, 653, NOTE],
  [654, 654, UNARMED],
];

/** The meaning of an event code. @returns undefined for an unknown one */
export function contactIdMeaning(code: number): CodeMeaning | undefined {
  return ROWS.find(([from, to]) => code >= from && code <= to)?.[2];
}

/** The types of a Contact ID message (DC-05, 2.1), which some receivers print before it. */
const TYPE = /^\s*(?:18|98)\s+/;
/**
 * Qualifier, event, partition, zone; separated by blanks (DC-05, 2.1), which some panels omit. The qualifier may be the letter
 * that receivers print: event, restoral, previous event.
 */
const EVENT = /^\s*([136ERP])([0-9A-F]{3})\s*([0-9A-F]{2})\s*([0-9A-F]{3,4})\s*$/i;
/**
 * With blanks, the numbers may have another length, the partition may be blank, or a text may follow: an alarm must not be
 * lost for that.
 */
const LOOSE_EVENT =
  /^\s*([136ERP])([0-9A-F]{3})(?:\s+([0-9A-F]{1,3}|-{1,3}))?\s+([0-9A-F]{1,6})\s*(?:[|/*^"'].*)?$/i;
const CHANGES: Readonly<Record<string, CodeChange>> = {
  1: "new",
  3: "restored",
  6: "present",
  E: "new",
  R: "restored",
  P: "present",
};

/** A restoral ends the event with its own code; that of a low battery (302) also a missing one (311), as Bosch reports it. */
const ALSO_ENDED: Readonly<Record<string, readonly string[]>> = { 302: ["302", "311"] };

/** Reads the data of an `ADM-CID` message. @returns undefined if it is malformed */
export function contactIdEvent(data: string): AlarmPanelEvent | undefined {
  const untyped = data.replace(TYPE, "");
  const [whole, qualifier = "", event = "", partition = "", number = ""] =
    EVENT.exec(untyped) ?? LOOSE_EVENT.exec(untyped) ?? [];
  const change = CHANGES[qualifier.toUpperCase()];
  if (whole === undefined || change === undefined) return undefined;
  const code = withZeros(event.toUpperCase());
  const meaning = /^\d{3}$/.test(code) ? contactIdMeaning(Number(code)) : undefined;
  return {
    code,
    bases: change === "restored" ? (ALSO_ENDED[code] ?? [code]) : [code],
    change,
    meaning,
    partition: decimal(partition),
    number: decimal(number),
    text: "",
  };
}

/** Partitions and zones are decimal; a hexadecimal one is kept out of the zones. */
function decimal(text: string): number | null {
  const digits = withZeros(text.toUpperCase());
  return /^\d+$/.test(digits) ? Number(digits) : null;
}

/** Over a telephone line a zero is the tone A, which some communicators pass on: the digits are 0 to 9 and B to F (DC-05). */
function withZeros(digits: string): string {
  return digits.replaceAll("A", "0");
}
