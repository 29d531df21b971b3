/** The ID token of an event: Contact ID or SIA. */
export type EventToken = "ADM-CID" | "SIA-DCS";

/** `waiting` for its acknowledgement; `withdrawn`: the transmitter was removed from the configuration before. */
export type TransmissionState = "waiting" | "acknowledged" | "withdrawn";

/** One event for the monitoring receiver, until it is acknowledged and after. */
export interface Transmission {
  /** Order of sending. */
  readonly id: number;
  /** Key of the trip, restore or fault; `test/...` for a periodic test. */
  readonly trip: string;
  /** Its intervention; null for an event without one. */
  readonly interventionId: number | null;
  readonly zoneId: string;
  /** What begins and ends together: the alarm of a zone, or one fault. */
  readonly pair: string;
  readonly change: "new" | "restored";
  readonly token: EventToken;
  readonly data: string;
  /** Data of its end; null for an end. */
  readonly ending: string | null;
  /** When it occurred, milliseconds since 1970; null if the clock was not trusted. */
  readonly occurredMs: number | null;
  readonly createdMs: number;
  /** Number of its message, 1 to 9999; null before its first sending. */
  readonly sequence: number | null;
  /** Time in its message, milliseconds since 1970; null before its first sending. */
  readonly stampedMs: number | null;
  /** Rounds of attempts that have failed. */
  readonly attempts: number;
  /** Not before, milliseconds since 1970. */
  readonly nextAtMs: number;
  readonly lastError: string | null;
  readonly state: TransmissionState;
  /** When the acknowledgement arrived, milliseconds since 1970. */
  readonly acknowledgedMs: number | null;
  /** Address of the receiver that acknowledged it. */
  readonly acknowledgedBy: string | null;
}

export type NewTransmission = Pick<
  Transmission,
  | "trip"
  | "interventionId"
  | "zoneId"
  | "pair"
  | "change"
  | "token"
  | "data"
  | "ending"
  | "occurredMs"
  | "createdMs"
>;

/** State of the link to one receiver. `unknown` before the first reply. */
export interface ReceiverState {
  /** Position in the configuration, from 0: the first receiver, then the backup ones. */
  readonly place: number;
  /** `host:port/transport`. */
  readonly address: string;
  readonly state: "unknown" | "up" | "down";
  /** Since when, milliseconds since 1970. */
  readonly sinceMs: number;
  readonly reason: string | null;
}

/** The next number of a message: 1 to 9999, then 1 again. */
export function nextSequence(last: number): number {
  return (last % SEQUENCE_MAX) + 1;
}

const SEQUENCE_MAX = 9_999;
