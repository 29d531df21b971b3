import {
  listOf,
  MINUTES,
  objectOf,
  operation,
  query,
  schema,
  type Operation,
  TEST_KEY,
  TEXT,
  textHeader,
} from "./openapi-parts.ts";

const HOURS = query("hours", "How far back, up to a month", {
  type: "integer",
  minimum: 1,
  maximum: 744,
  default: 24,
});
const LIMIT = query("limit", "How many", { type: "integer", minimum: 0, maximum: 1000, default: 100 });

const UNTIL_HOUR = {
  type: "integer",
  minimum: 0,
  maximum: 23,
  description: "Instead of minutes: until the next time at which the clock of the site shows this full hour",
};

/** What users do every day: state, zones, tests, history, the link and the copy of the objectives. */
export const DAILY_WORK: readonly Operation[] = [
  operation("GET /site/status", "viewer", "getSiteStatus", {
    summary: "State of the site: headline with reasons, conditions, waiting trips and records, the link",
    answer: schema("StatusView"),
    headers: { "Journal-Position": textHeader("Changes with each entry of the event log and each trip") },
  }),
  operation("GET /site/events", "viewer", "streamSiteEvents", {
    summary: "Status, zones and walk test as server-sent events; continues after Last-Event-ID",
    answer: "text/event-stream",
    errors: [429, 503],
  }),
  operation("GET /site/zones", "viewer", "listZones", {
    summary: "Zones with contact, disposition of a trip now, bypass and faults",
    answer: listOf("ZoneView"),
  }),
  operation("GET /site/zones/history", "viewer", "listZoneHistories", {
    summary: "Trips, faults and times out of service of each zone",
    query: [HOURS, query("zone", "Only the history of the zone with this id", TEXT)],
    answer: listOf("ZoneHistoryView"),
  }),
  operation("GET /site/zones/{id}/source", "viewer", "getZoneSource", {
    summary: "Where a zone reads its contact, such as its topic or line, with its last message",
    answer: schema("ZoneSourceView"),
    errors: [404],
  }),
  operation("POST /site/zones/{id}/bypass", "operator", "bypassZone", {
    summary: "Bypass a zone for a number of minutes, or until the site has a full hour",
    body: objectOf({ reason: TEXT, minutes: MINUTES, untilHour: UNTIL_HOUR }, ["reason"]),
    answer: schema("BypassView"),
    errors: [404, 409],
  }),
  operation("POST /site/zones/{id}/restore", "operator", "restoreZone", {
    summary: "Return a zone to service after a bypass or a shutdown",
    answer: schema("ZoneView"),
    errors: [404, 409],
  }),
  operation("POST /site/simulate", "operator", "simulateContact", {
    summary: "Set the contact of a zone; the trip is real",
    query: [TEST_KEY],
    body: objectOf({ zone: TEXT, contact: { enum: ["open", "normal"] } }),
    answer: schema("SimulationView"),
    errors: [404, 409, 422, 503],
  }),
  operation("GET /site/trips", "viewer", "listTrips", {
    summary: "The newest trips",
    query: [LIMIT],
    answer: listOf("Trip"),
  }),
  operation("GET /site/journal", "operator", "listTimeline", {
    summary: "Event log and trips in one timeline, newest first; the header Link has the next page",
    query: [LIMIT, query("after", "Position, from the Link header of the previous page", TEXT)],
    answer: listOf("TimelineEntry"),
  }),
  operation("GET /site/interventions/{id}/history", "operator", "getInterventionHistory", {
    summary: "History of an intervention, and its phase in the outbox",
    answer: schema("HistoryView"),
    errors: [404],
  }),
  operation("GET /site/interventions/{id}/transmissions", "viewer", "listTransmissions", {
    summary: "What was sent about an intervention to a monitoring receiver, with its replies",
    answer: listOf("TransmissionView"),
    errors: [404],
  }),
  operation("GET /site/sync", "viewer", "getSync", {
    summary: "The link, and the records that are not synced with phase, attempts and last response",
    query: [query("records", "Only the records that need attention, all of them", { const: "attention" })],
    answer: schema("SyncView"),
  }),
  operation("GET /site/sync/history", "viewer", "getLinkHistory", {
    summary: "The link in 288 intervals, and how long records have waited",
    query: [HOURS],
    answer: schema("LinkHistoryView"),
  }),
  operation("GET /site/sync/records", "operator", "listSyncRecords", {
    summary: "The sync states of these interventions, with their ids at the centre",
    query: [query("ids", "Up to 100 ids of interventions, separated by commas", TEXT)],
    answer: listOf("SyncRecordStatus"),
  }),
  operation("POST /site/sync/now", "operator", "syncNow", {
    summary: "Retry everything now",
    answer: schema("SyncView"),
    errors: [409],
  }),
  operation("POST /site/sync/try-centre", "operator", "tryCentre", {
    summary: "Test the dispatch centre with test records and remove them",
    answer: schema("CentreTrialView"),
    errors: [404, 409, 503],
  }),
  ...Object.entries({
    retry: "Retry a record now; create it again if the centre has deleted it",
    drop: "Stop sending a record to the centre",
    reassert: "Replace the centre's record with the local one",
  }).map(([action, summary]) =>
    operation(`POST /site/sync/{id}/${action}`, "operator", `${action}Record`, {
      summary,
      answer: schema("SyncView"),
      errors: [404, 409],
    }),
  ),
  operation("GET /site/objectives", "viewer", "getObjectiveMirror", {
    summary: "The copy of the centre's objectives: lists, last reading, differences",
    answer: schema("ObjectivesView"),
  }),
  operation("POST /site/objectives/pull", "operator", "pullObjectives", {
    summary: "Read the centre's lists now",
    answer: schema("ObjectivesView"),
    errors: [409, 503],
  }),
  operation("POST /site/objectives/accept-loss", "operator", "acceptObjectiveRemovals", {
    summary: "Read the centre's lists now, even if they lack most of their former entries",
    answer: schema("ObjectivesView"),
    errors: [409, 503],
  }),
  operation("GET /site/address", "administrator", "getPanelAddress", {
    summary: "Where other devices open the web panel, as a QR code too, and the fingerprint to compare",
    answer: schema("PanelAddressView"),
  }),
];
