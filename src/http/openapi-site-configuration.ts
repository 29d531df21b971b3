import { type Json, listOf, objectOf, operation, schema, type Operation, TEXT } from "./openapi-parts.ts";

const CHANGES: Json = {
  type: "array",
  minItems: 1,
  maxItems: 300,
  description: "Applied in order",
  items: {
    type: "object",
    properties: {
      action: { enum: ["add", "change", "copy", "disable", "enable", "delete", "order", "site"] },
      id: TEXT,
      zone: { type: "object", description: "The whole zone as in the file" },
      before: TEXT,
      newId: TEXT,
      name: TEXT,
      ids: { type: "array", items: TEXT },
      site: { type: "object", properties: { name: TEXT, timezone: TEXT, locale: { enum: ["ro", "en"] } } },
    },
    required: ["action"],
  },
};

/** Operations of the configuration, for administrators, and the dispatch centre of a site that has none. */
export const SITE_CONFIGURATION: readonly Operation[] = [
  operation("GET /site/configuration", "administrator", "listOptions", {
    summary: "Every option in force and its source, without secrets",
    answer: listOf("OptionView"),
  }),
  operation("GET /site/configuration/zones", "administrator", "getConfiguredZones", {
    summary: "The zones and the site as the file has them, and whether they may be changed here",
    answer: schema("ConfiguredZonesView"),
    errors: [409],
  }),
  operation("POST /site/configuration/proposal", "administrator", "proposeZones", {
    summary: "What a change of the zones or of the site would do; writes nothing",
    body: objectOf({ hash: TEXT, changes: CHANGES }),
    answer: schema("ConfigurationProposalView"),
    errors: [404, 409, 422],
  }),
  operation("POST /site/configuration/confirmation", "administrator", "confirmPassword", {
    summary: "Enter your own password again; the confirmation is valid for ten minutes",
    body: objectOf({ password: TEXT }),
    answer: schema("ConfirmationView"),
    errors: [429, 503],
  }),
  operation("POST /site/configuration/apply", "administrator", "applyZones", {
    summary: "Write, apply and verify a change of the zones or of the site",
    body: objectOf({ hash: TEXT, changes: CHANGES, confirmation: TEXT }, ["hash", "changes"]),
    answer: schema("ConfigurationResult"),
    errors: [404, 409, 422, 503],
  }),
  operation("GET /site/configuration/earlier", "administrator", "listEarlierConfigurations", {
    summary: "The last ten versions of the configuration file, with the time and the author of each",
    answer: schema("EarlierConfigurationsView"),
    errors: [409],
  }),
  operation("GET /site/configuration/earlier/{name}", "administrator", "proposeEarlierConfiguration", {
    summary: "What a return to an earlier text would do; writes nothing",
    answer: schema("EarlierConfigurationProposalView"),
    errors: [404, 409],
  }),
  operation("POST /site/configuration/return", "administrator", "returnToEarlierConfiguration", {
    summary: "Write an earlier text into the configuration file, apply and verify it",
    body: objectOf({ name: TEXT, hash: TEXT, confirmation: TEXT }, ["name", "hash"]),
    answer: schema("ConfigurationResult"),
    errors: [404, 409, 422, 503],
  }),
  operation("GET /site/enrolment", "administrator", "getSiteEnrolment", {
    summary: "Whether this site can be enrolled at a dispatch centre here",
    answer: schema("EnrolmentView"),
    errors: [422],
  }),
  operation("POST /site/enrolment", "administrator", "enrolAtCentre", {
    summary:
      "Exchange a one-time code of a dispatch centre for the account of this site, apply and verify it",
    body: objectOf({ centre: TEXT, code: TEXT, ca: TEXT, confirmation: TEXT }, ["centre", "code"]),
    answer: schema("EnrolmentResult"),
    errors: [404, 409, 422, 429, 503],
  }),
];
