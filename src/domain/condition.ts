import type { ConditionValues, ConditionDetail } from "./condition-sentence.ts";

/**
 * Conditions: declared statements about the health of this installation. A part that meets trouble raises one, and
 * clears it when the trouble is over; people see the open ones in the log, at /site/status and in the panel.
 */
export interface Conditions {
  /** Opens the condition (or changes its text). `subject` tells apart several of one code, such as a zone's id. */
  raise<Code extends ConditionCode>(code: Code, said: ConditionDetail<Code>, subject?: string): void;
  /** Closes it; clearing one that is not open does nothing. */
  clear(code: ConditionCode, subject?: string): void;
}

export interface Condition {
  readonly code: ConditionCode;
  readonly subject: string;
  readonly severity: ConditionSeverity;
  readonly title: string;
  /** What is wrong, with the value, and the way out. */
  readonly text: string;
  /** What its sentence is filled with, for whoever says it in another language; null where the text is free words. */
  readonly values: ConditionValues | null;
  /** When it was raised, ISO 8601 UTC. */
  readonly since: string;
}

export type ConditionSeverity = "error" | "warning";

/** Every condition this daemon can declare. The page docs/operating.md explains each one to an installer. */
export const CONDITIONS = {
  "configuration-invalid": {
    severity: "error",
    title: "Configuration has mistakes; its last good copy runs",
  },
  "restart-needed": { severity: "warning", title: "Part of the configuration needs a restart" },
  "mqtt-unreachable": { severity: "error", title: "MQTT broker unreachable" },
  "mqtt-broker-not-listening": { severity: "error", title: "Built-in MQTT broker not listening" },
  "mqtt-broker-at-limit": { severity: "warning", title: "Built-in MQTT broker at a limit" },
  "mqtt-subscription-refused": { severity: "error", title: "MQTT subscription refused by the broker" },
  "mqtt-session-taken-over": { severity: "error", title: "MQTT client id used twice" },
  "mqtt-broker-drops-messages": { severity: "warning", title: "MQTT broker drops messages" },
  "gpio-unavailable": { severity: "error", title: "GPIO unavailable" },
  "gpio-line-failed": { severity: "error", title: "GPIO line cannot be read" },
  "gpio-line-unstable": { severity: "error", title: "GPIO line oscillates" },
  "journal-write-failed": { severity: "error", title: "Trip journal cannot be written" },
  "dispatch-failing": { severity: "error", title: "Trips wait for the local API" },
  "trip-refused": { severity: "error", title: "Trip refused by the local API" },
  "zone-open": { severity: "warning", title: "Zone open while armed" },
  "upstream-unreachable": { severity: "warning", title: "Dispatch centre unreachable" },
  "upstream-authentication-failed": { severity: "error", title: "Dispatch centre refuses the sign-in" },
  "upstream-unexpected-service": {
    severity: "error",
    title: "What answers is not the dispatch centre's interface",
  },
  "upstream-rejects-records": { severity: "warning", title: "Dispatch centre refuses records" },
  "upstream-refuses-alarm": { severity: "error", title: "Dispatch centre refuses an alarm" },
  "upstream-alarm-unproved": { severity: "error", title: "Not certain that the centre has an alarm" },
  "upstream-ids-given-again": { severity: "warning", title: "Dispatch centre gave an id to another record" },
  "upstream-reference-lost": { severity: "warning", title: "Dispatch centre does not keep our reference" },
  "upstream-reference-shared": { severity: "warning", title: "site.ref is used twice" },
  "upstream-differs": { severity: "warning", title: "Records differ from the dispatch centre's" },
  "objectives-mirror-stale": {
    severity: "warning",
    title: "Objectives of the dispatch centre not taken over",
  },
  "outbox-write-failed": { severity: "error", title: "Outbox cannot be written" },
  "http-address-unavailable": { severity: "error", title: "Address of the local API missing" },
  "database-recovered": { severity: "error", title: "A database was damaged and put back" },
  "data-lost": { severity: "error", title: "Records or trips are lost or altered" },
  "trips-off-disk": { severity: "error", title: "Trips are in memory: the disk does not take them" },
  "disk-nearly-full": { severity: "warning", title: "Disk nearly full" },
  "disk-full": { severity: "error", title: "Disk full" },
  "restore-failed": { severity: "error", title: "A copy could not be put back" },
  "backup-overdue": { severity: "error", title: "No recent copy of the database" },
  "certificate-not-renewed": { severity: "warning", title: "Certificate not renewed" },
  "certificate-of-wrong-time": { severity: "warning", title: "Certificate of a wrong time" },
  "control-socket-unavailable": { severity: "warning", title: "Control socket unavailable" },
} as const satisfies Record<string, { severity: ConditionSeverity; title: string }>;

export type ConditionCode = keyof typeof CONDITIONS;
