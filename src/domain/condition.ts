import { CONDITION_MESSAGES, type SentenceCode } from "./condition-messages.ts";

export { CONDITION_MESSAGES, type SentenceCode } from "./condition-messages.ts";

/** Declared problems of this installation, raised and cleared by components. Log, /site/status and panel show the open ones. */
export interface Conditions {
  /**
   * Opens a condition or changes its text. @param subject distinguishes several of one code, such as a zone's id
   * @param sinceMs monotonic time since when the problem exists, if it was found later
   */
  raise<Code extends ConditionCode>(
    code: Code,
    detail: ConditionDetail<Code>,
    subject?: string,
    sinceMs?: number,
  ): void;
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

interface Described {
  readonly severity: ConditionSeverity;
  readonly title: string;
}

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
  "mqtt-subscription-refused": { severity: "error", title: "MQTT subscription rejected by the broker" },
  "mqtt-session-taken-over": { severity: "error", title: "MQTT session taken over (duplicate client id)" },
  "mqtt-client-id-temporary": { severity: "warning", title: "Temporary MQTT client id in use" },
  "mqtt-broker-drops-messages": { severity: "warning", title: "MQTT broker drops messages" },
  "mqtt-retained-stale": { severity: "warning", title: "Old message retained by the MQTT broker" },
  "mqtt-topics-at-limit": {
    severity: "error",
    title: "Too many active MQTT topics of a zone or arming condition",
  },
  "mqtt-device-renamed": { severity: "error", title: "Sensor renamed at its bridge" },
  "mqtt-device-removed": { severity: "error", title: "Sensor missing at its bridge" },
  "alarm-panel-receiver-down": { severity: "error", title: "Receiver for alarm panels not listening" },
  "alarm-panel-rejected": { severity: "warning", title: "Messages of an alarm panel rejected" },
  "alarm-panel-silent": { severity: "error", title: "Alarm panel silent" },
  "alarm-panel-refused": { severity: "error", title: "Alarm panel messages rejected at a limit" },
  "alarm-panel-trouble": { severity: "warning", title: "Fault reported by an alarm panel" },
  "alarm-panel-bypass": { severity: "warning", title: "Zone bypassed at the alarm panel" },
  "alarm-panel-code-unknown": { severity: "warning", title: "Unknown code of an alarm panel" },
  "gpio-unavailable": { severity: "error", title: "GPIO unavailable" },
  "gpio-line-failed": { severity: "error", title: "GPIO line cannot be read" },
  "gpio-line-unstable": { severity: "error", title: "GPIO line unstable" },
  "key-switch-unstable": { severity: "error", title: "Key switch unstable" },
  "adc-unavailable": { severity: "error", title: "Analogue converter unavailable" },
  "adc-channel-failed": { severity: "error", title: "Input of an analogue converter cannot be read" },
  "loop-out-of-range": { severity: "error", title: "Resistance of a loop out of range" },
  "on-battery": { severity: "warning", title: "Mains lost; running on battery" },
  "power-off-failed": { severity: "error", title: "Machine cannot be powered off" },
  "output-failed": { severity: "error", title: "Output cannot be switched" },
  "journal-write-failed": { severity: "error", title: "Trip journal cannot be written" },
  "dispatch-failing": { severity: "error", title: "Local API does not accept trips" },
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
  "upstream-alarm-unproved": {
    severity: "error",
    title: "Delivery of an alarm to the dispatch centre unconfirmed",
  },
  "upstream-ids-given-again": { severity: "warning", title: "Dispatch centre reused the id of a record" },
  "upstream-reference-lost": {
    severity: "warning",
    title: "Dispatch centre does not keep the reference of this site",
  },
  "upstream-notes-cut": { severity: "warning", title: "Dispatch centre cuts notes" },
  "upstream-reference-shared": { severity: "warning", title: "site.ref used by another site" },
  "upstream-rejects-reports": {
    severity: "warning",
    title: "Dispatch centre rejects the reports of this site",
  },
  "upstream-not-compared": {
    severity: "warning",
    title: "Records cannot be compared with the dispatch centre",
  },
  "upstream-list-too-large": { severity: "warning", title: "Dispatch centre's list too large" },
  "upstream-list-postponed": { severity: "warning", title: "Dispatch centre's list not read for an hour" },
  "upstream-differs": { severity: "warning", title: "Records differ from the dispatch centre" },
  "monitoring-receiver-unreachable": { severity: "error", title: "Monitoring receiver unreachable" },
  "monitoring-receiver-rejects": { severity: "error", title: "Monitoring receiver rejects messages" },
  "monitoring-receiver-supervision": {
    severity: "warning",
    title: "Monitoring receiver rejects supervision messages",
  },
  "monitoring-receiver-clock": { severity: "warning", title: "Clock of a monitoring receiver differs" },
  "transmitter-write-failed": {
    severity: "error",
    title: "Queue for the monitoring receiver cannot be used",
  },
  "objectives-mirror-stale": {
    severity: "warning",
    title: "Objective list of the dispatch centre out of date",
  },
  "objective-names-differ": {
    severity: "warning",
    title: "Objective has another name at the dispatch centre",
  },
  "objective-missing": {
    severity: "error",
    title: "Objective missing at the dispatch centre",
  },
  "outbox-write-failed": { severity: "error", title: "Outbox cannot be written" },
  "http-address-unavailable": { severity: "error", title: "Address of the local API unavailable" },
  "database-damaged": { severity: "error", title: "Database damaged: the daemon restarts itself" },
  "database-recovered": { severity: "error", title: "Database was damaged and recovered" },
  "data-lost": { severity: "error", title: "Data lost or altered" },
  "trips-off-disk": { severity: "error", title: "Trips only in memory: journal cannot be written" },
  "disk-nearly-full": { severity: "warning", title: "Disk nearly full" },
  "disk-full": { severity: "error", title: "Disk full" },
  "storage-volatile": { severity: "error", title: "All data is lost at the next boot" },
  "configuration-volatile": { severity: "error", title: "Configuration changes are lost at the next boot" },
  "machine-unknown": { severity: "error", title: "Card from another machine; nothing is sent" },
  "release-returned": { severity: "error", title: "Upgrade undone: the new release failed" },
  "restore-failed": { severity: "error", title: "Restore from backup failed" },
  "backup-overdue": { severity: "error", title: "No recent backup" },
  "certificate-not-renewed": { severity: "warning", title: "Certificate not renewed" },
  "certificate-incomplete": { severity: "warning", title: "Certificate does not cover every name" },
  "certificate-of-wrong-time": { severity: "warning", title: "Certificate issued while the clock was wrong" },
  "key-damaged": { severity: "error", title: "Key or certificate file damaged" },
  "clock-not-set": { severity: "warning", title: "Clock of the machine not set" },
  "control-socket-unavailable": { severity: "warning", title: "Control socket unavailable" },
  "sites-silent": { severity: "error", title: "Many sites silent at the same time" },
  "silent-sites-unknown": { severity: "warning", title: "Silent sites cannot be detected" },
  "configurations-differ": { severity: "warning", title: "Processes of the centre have different options" },
  "site-writes-limited": { severity: "warning", title: "Records of a site rejected at a limit" },
  "database-unavailable": { severity: "error", title: "Database unavailable" },
  "thread-failed": { severity: "error", title: "Part of the daemon failed and was restarted" },
} as const satisfies Record<SentenceCode, Described> & Record<string, Described>;

export type ConditionCode = keyof typeof CONDITIONS;

/** Values by placeholder name; a time is ISO 8601 UTC. */
export type ConditionValues = Readonly<Record<string, string | number>>;

/** Detail of a condition: the values of its message, or a free text. */
export type ConditionDetail<Code extends ConditionCode> =
  | string
  | (Code extends SentenceCode
      ? Readonly<Record<NamesIn<(typeof CONDITION_MESSAGES)[Code]>, string | number>>
      : never);

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The message of a condition with its placeholders replaced, or the free text. A value that ends a sentence, such as the response of a
 * server with its remedy, has no second full stop after it. */
export function formatConditionMessage(code: ConditionCode, detail: string | ConditionValues): string {
  if (typeof detail === "string") return detail;
  const messages: Readonly<Partial<Record<ConditionCode, string>>> = CONDITION_MESSAGES;
  const message = messages[code] ?? "";
  return message.replace(/\{(\w+)\}(\.?)/g, (braced, name: string, stop: string) => {
    const value = detail[name];
    if (value === undefined) return braced;
    return `${stop === "" ? value : String(value).replace(/\.$/, "")}${stop}`;
  });
}
