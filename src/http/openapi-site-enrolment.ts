import { objectOf, operation, schema, type Operation, TEXT } from "./openapi-parts.ts";

/** The dispatch centre of a site that has none. */
export const SITE_ENROLMENT: readonly Operation[] = [
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
