/** The state of the site and its reasons in English; keys as in src/domain/headline.ts. */
export const EN_HEADLINE = {
  "headline.alarm": "ALARM",
  "headline.fault": "Fault",
  "headline.attention": "Needs attention",
  "headline.well": "All is well",
  "headline.planned": { one: "{n} intervention planned", other: "{n} interventions planned" },
  "headline.more": { one: "and {n} more", other: "and {n} more" },
  "reason.alarm-unfinished": { one: "{n} alarm not done", other: "{n} alarms not done" },
  "reason.alarm-unrecorded": {
    one: "{n} trip not recorded as an intervention",
    other: "{n} trips not recorded as interventions",
  },
  "reason.zone-open": { one: "{n} zone open while armed", other: "{n} zones open while armed" },
  "reason.zone-fault": { one: "{n} zone with a fault", other: "{n} zones with a fault" },
  "reason.zone-shut-down": { one: "{n} zone in swinger shutdown", other: "{n} zones in swinger shutdown" },
  "reason.condition-error": { one: "{n} error", other: "{n} errors" },
  "reason.starting": "Starting: reading the zones",
  "reason.no-zones": "No zones yet",
  "reason.condition-warning": { one: "{n} warning", other: "{n} warnings" },
  "reason.walk-test": "Walk test active: nothing is dispatched",
  "reason.zone-bypassed": { one: "{n} zone bypassed", other: "{n} zones bypassed" },
  "reason.work-unfinished": {
    one: "{n} service intervention not done",
    other: "{n} service interventions not done",
  },
  "reason.zone-not-ready": {
    one: "Not ready to arm: {n} zone open",
    other: "Not ready to arm: {n} zones open",
  },
  "reason.zone-unknown": { one: "{n} zone without a reading", other: "{n} zones without a reading" },
  "reason.battery-low": { one: "{n} zone with a low battery", other: "{n} zones with a low battery" },
  "reason.records-stuck": { one: "{n} record needs attention", other: "{n} records need attention" },
  "reason.backlog": {
    one: "{n} record queued for more than 15 minutes",
    other: "{n} records queued, the oldest for more than 15 minutes",
  },
} as const;
