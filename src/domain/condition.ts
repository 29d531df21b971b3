import type { ConditionValues, ConditionDetail } from "./condition-sentence.ts";

/**
 * Conditions: declared problems of this installation. A component raises a condition and clears it when the problem is
 * over. Open conditions are shown in the log, at /site/status and in the panel.
 */
export interface Conditions {
  /** Opens a condition or changes its text. `subject` distinguishes several conditions of one code, such as a zone's id. */
  raise<Code extends ConditionCode>(code: Code, detail: ConditionDetail<Code>, subject?: string): void;
  /** Closes a condition; does nothing if it is not open. */
  clear(code: ConditionCode, subject?: string): void;
}

export interface Condition {
  readonly code: ConditionCode;
  readonly subject: string;
  readonly severity: ConditionSeverity;
  readonly title: string;
  /** The problem, the value and the remedy. */
  readonly text: string;
  /** Values of the placeholders, for translations; null for a free text. */
  readonly values: ConditionValues | null;
  /** When it was raised, ISO 8601 UTC. */
  readonly since: string;
}

export type ConditionSeverity = "error" | "warning";

/** All conditions. docs/operating.md explains each one to an installer. */
export const CONDITIONS = {
  "configuration-invalid": {
    severity: "error",
    title: "Configuration invalid; last good configuration active",
  },
  "restart-needed": { severity: "warning", title: "Part of the configuration needs a restart" },
  "mqtt-unreachable": { severity: "error", title: "MQTT broker unreachable" },
  "mqtt-broker-not-listening": { severity: "error", title: "Built-in MQTT broker not listening" },
  "mqtt-broker-at-limit": { severity: "warning", title: "Built-in MQTT broker at a limit" },
  "mqtt-subscription-refused": { severity: "error", title: "MQTT subscription denied by the broker" },
  "mqtt-session-taken-over": {
    severity: "error",
    title: "MQTT session taken over (duplicate client id)",
  },
  "mqtt-broker-drops-messages": { severity: "warning", title: "MQTT broker drops messages" },
  "gpio-unavailable": { severity: "error", title: "GPIO unavailable" },
  "gpio-line-failed": { severity: "error", title: "GPIO line cannot be read" },
  "gpio-line-unstable": { severity: "error", title: "GPIO line unstable" },
  "journal-write-failed": { severity: "error", title: "Trip journal cannot be written" },
  "dispatch-failing": { severity: "error", title: "Trips waiting for the local API" },
  "trip-refused": { severity: "error", title: "Trip rejected by the local API" },
  "zone-open": { severity: "warning", title: "Zone open while armed" },
  "upstream-unreachable": { severity: "warning", title: "Dispatch centre unreachable" },
  "upstream-authentication-failed": { severity: "error", title: "Sign-in to the dispatch centre failed" },
  "upstream-unexpected-service": {
    severity: "error",
    title: "Unexpected service at the dispatch centre's address",
  },
  "upstream-rejects-records": { severity: "warning", title: "Dispatch centre rejects records" },
  "upstream-rejects-alarm": { severity: "error", title: "Dispatch centre rejects an alarm" },
  "upstream-alarm-unproved": { severity: "error", title: "Alarm not confirmed by the dispatch centre" },
  "upstream-ids-given-again": { severity: "warning", title: "Dispatch centre reused the id of a record" },
  "upstream-reference-lost": { severity: "warning", title: "Dispatch centre drops the site's reference" },
  "upstream-reference-shared": { severity: "warning", title: "site.ref used by another site" },
  "upstream-differs": { severity: "warning", title: "Records differ from the dispatch centre's" },
  "objectives-mirror-stale": {
    severity: "warning",
    title: "Objective list of the dispatch centre out of date",
  },
  "outbox-write-failed": { severity: "error", title: "Outbox cannot be written" },
  "http-address-unavailable": { severity: "error", title: "Address of the local API unavailable" },
  "database-recovered": { severity: "error", title: "Database was damaged and recovered" },
  "data-lost": { severity: "error", title: "Records or trips lost or altered" },
  "trips-off-disk": { severity: "error", title: "Trips only in memory: disk cannot be written" },
  "disk-nearly-full": { severity: "warning", title: "Disk nearly full" },
  "disk-full": { severity: "error", title: "Disk full" },
  "restore-failed": { severity: "error", title: "Restore from backup failed" },
  "backup-overdue": { severity: "error", title: "No recent backup of the database" },
  "certificate-not-renewed": { severity: "warning", title: "Certificate not renewed" },
  "certificate-of-wrong-time": {
    severity: "warning",
    title: "Certificate validity does not match the clock",
  },
  "control-socket-unavailable": { severity: "warning", title: "Control socket unavailable" },
} as const satisfies Record<string, { severity: ConditionSeverity; title: string }>;

export type ConditionCode = keyof typeof CONDITIONS;
