import { CLASS_OF_KIND, type IncidentClass } from "./incident.ts";
import type { Fault } from "./fault.ts";
import type { EventToken } from "./transmission.ts";
import type { ZoneKind } from "./zone.ts";

/* Events for a monitoring receiver: what a trip, a restore or a fault is in the codes of alarm panels. */

/** A format of event data in a DC-09 message. */
export type EventFormat = "contact-id" | "sia";

/** An event code in both formats. */
export interface EventCode {
  /** Three digits of Contact ID (SIA DC-05). */
  readonly contactId: string;
  /** Two letters of SIA (DC-03) for the beginning and the end. */
  readonly sia: readonly [begins: string, ends: string];
}

/** Codes of an alarm by zone type, from SIA DC-05 and DC-03; the receiver's own tables read them back as these types. */
const CODE_OF_KIND: Readonly<Record<ZoneKind, EventCode>> = {
  intrusion: { contactId: "130", sia: ["BA", "BR"] },
  perimeter: { contactId: "131", sia: ["BA", "BR"] },
  motion: { contactId: "132", sia: ["BA", "BR"] },
  // 155 (foil break) is among the alarms other than burglary, so a glass-break detector is a burglary alarm.
  glass: { contactId: "130", sia: ["BA", "BR"] },
  fire: { contactId: "110", sia: ["FA", "FR"] },
  panic: { contactId: "120", sia: ["PA", "PR"] },
  holdup: { contactId: "122", sia: ["HA", "HR"] },
  medical: { contactId: "100", sia: ["MA", "MR"] },
  flood: { contactId: "154", sia: ["WA", "WR"] },
  gas: { contactId: "151", sia: ["GA", "GR"] },
  tamper: { contactId: "137", sia: ["TA", "TR"] },
  technical: { contactId: "150", sia: ["UA", "UR"] },
  // Loss of mains: a trouble of the alarm panel for its receiver, not an alarm of a zone.
  power: { contactId: "301", sia: ["AT", "AR"] },
};

/** Codes of a fault of a zone: sensor tamper, low battery, loss of supervision, sensor trouble. */
const CODE_OF_FAULT: Readonly<Record<Fault, EventCode>> = {
  tamper: { contactId: "383", sia: ["TA", "TR"] },
  battery: { contactId: "384", sia: ["XT", "XR"] },
  supervision: { contactId: "381", sia: ["UT", "UJ"] },
  faulty: { contactId: "380", sia: ["UT", "UJ"] },
};

/** A manual and a periodic test. A test does not end. */
export const TEST_CODES = {
  manual: { contactId: "601", sia: ["RX", "RX"] },
  periodic: { contactId: "602", sia: ["RP", "RP"] },
} as const satisfies Readonly<Record<string, EventCode>>;

/** The code of an alarm. @param kind null for a zone that is no longer configured. @param subject as `Trip.subject` */
export function alarmCode(kind: ZoneKind | null, subject: string): EventCode {
  const [name = ""] = subject.split("/");
  const ofClass = KINDS.find((each) => CLASS_OF_KIND[each] === (name as IncidentClass));
  return CODE_OF_KIND[kind ?? ofClass ?? "intrusion"];
}

const KINDS = Object.keys(CODE_OF_KIND) as ZoneKind[];

/** The code of a fault. */
export function faultCode(fault: Fault): EventCode {
  return CODE_OF_FAULT[fault];
}

/** Where an event occurred, by the receiver's numbers. */
export interface EventPlace {
  /** 0 to 99. */
  readonly partition: number;
  /** 0 to 999; 0 for the whole site. */
  readonly number: number;
}

/** The ID token of a message and its event data. */
interface EventData {
  readonly token: EventToken;
  /** Data of the beginning, such as `1130 01 004` or `Nri1/BA004`. */
  readonly begins: string;
  /** Data of the end, such as `3130 01 004`. */
  readonly ends: string;
}

/** Which format a code of the configuration belongs to. */
export function formatOfCode(code: string): EventFormat {
  return /^\d/.test(code) ? "contact-id" : "sia";
}

/**
 * The event data of a code.
 * @param override replaces the code: three digits of Contact ID, or a SIA alarm of a class of points, which R ends; undefined for none
 */
export function eventData(
  format: EventFormat,
  { contactId, sia }: EventCode,
  { partition, number }: EventPlace,
  override?: string,
): EventData {
  const zone = String(number).padStart(3, "0");
  if (format === "sia") {
    const area = partition === 0 ? "" : `ri${partition}/`;
    const own = override === undefined ? sia : [override, `${override.slice(0, 1)}R`];
    const [begins, ends] = own.map((code) => `N${area}${code}${zone}`);
    return { token: "SIA-DCS", begins: begins ?? "", ends: ends ?? "" };
  }
  const rest = `${override ?? contactId} ${String(partition).padStart(2, "0")} ${zone}`;
  return { token: "ADM-CID", begins: `1${rest}`, ends: `3${rest}` };
}
