import type { TransmissionState } from "../domain/transmission.ts";

/** One event for the monitoring receiver. Times are ISO 8601 UTC. */
export interface TransmissionView {
  readonly id: number;
  readonly zone: string;
  readonly change: "new" | "restored";
  /** Event data as sent, such as `1130 01 004`. */
  readonly data: string;
  /** Number of its message; null before its first sending. */
  readonly sequence: number | null;
  readonly state: TransmissionState;
  /** Failed rounds of attempts. */
  readonly attempts: number;
  readonly lastError: string | null;
  /** When a receiver acknowledged it; null until then. */
  readonly acknowledgedAt: string | null;
  /** `host:port/transport` of that receiver. */
  readonly acknowledgedBy: string | null;
}

/** State of the transmitter. */
export interface MonitoringView {
  /** Account number of this site at the receivers. */
  readonly account: string;
  /** Events without an acknowledgement. */
  readonly waiting: number;
  /** When the oldest of them was created, ISO 8601 UTC; null if none waits. */
  readonly oldestWaitingAt: string | null;
  /** The first receiver, then the backup ones. */
  readonly receivers: readonly ReceiverView[];
}

export interface ReceiverView {
  /** `host:port/transport`. */
  readonly address: string;
  /** Whether it replies; `unknown` before the first reply. */
  readonly state: "unknown" | "up" | "down";
  /** ISO 8601 UTC. */
  readonly since: string;
  /** Why it is down; null otherwise. */
  readonly reason: string | null;
}

/** The events of an intervention on their way to the monitoring receiver. */
export interface ReceiverJourneyView {
  /** `waiting` until each beginning of an alarm or fault is acknowledged. */
  readonly state: TransmissionState;
  /** When the first one was acknowledged, ISO 8601 UTC; null until then. */
  readonly acknowledgedAt: string | null;
  readonly acknowledgedBy: string | null;
  /** Failed rounds of attempts of the first one that waits. */
  readonly attempts: number;
}
