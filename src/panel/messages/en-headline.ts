/** The state of the whole site and what makes it so, as src/domain/headline.ts has them, in English. */
export const EN_HEADLINE = {
  "headline.alarm": "ALARM",
  "headline.fault": "Fault",
  "headline.attention": "Needs attention",
  "headline.well": "All is well",
  "headline.planned": { one: "{n} visit planned", other: "{n} visits planned" },
  "headline.more": { one: "and {n} more", other: "and {n} more" },
  "reason.alarm-unfinished": { one: "{n} alarm not done", other: "{n} alarms not done" },
  "reason.alarm-unrecorded": {
    one: "{n} trip not recorded as an intervention",
    other: "{n} trips not recorded as interventions",
  },
  "reason.zone-open": { one: "{n} zone open while armed", other: "{n} zones open while armed" },
  "reason.zone-fault": { one: "{n} zone with a fault", other: "{n} zones with a fault" },
  "reason.zone-shut-down": { one: "{n} zone shut down", other: "{n} zones shut down" },
  "reason.condition-error": { one: "{n} error", other: "{n} errors" },
  "reason.starting": "The zones are being read after the start",
  "reason.condition-warning": { one: "{n} warning", other: "{n} warnings" },
  "reason.walk-test": "A walk test is running: nothing is dispatched",
  "reason.zone-bypassed": { one: "{n} zone bypassed", other: "{n} zones bypassed" },
  "reason.work-unfinished": { one: "{n} job not done", other: "{n} jobs not done" },
  "reason.zone-not-ready": {
    one: "Not ready to arm: {n} zone open",
    other: "Not ready to arm: {n} zones open",
  },
  "reason.zone-unknown": { one: "{n} zone without a reading", other: "{n} zones without a reading" },
  "reason.battery-low": { one: "{n} zone with a low battery", other: "{n} zones with a low battery" },
  "reason.records-stuck": { one: "{n} record needs attention", other: "{n} records need attention" },
  "reason.backlog": {
    one: "{n} record has waited for the centre for more than 15 minutes",
    other: "{n} records, the oldest waiting for the centre for more than 15 minutes",
  },
} as const;
