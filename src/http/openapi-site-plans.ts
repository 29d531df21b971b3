import { header, listOf, objectOf, operation, query, type Operation, TEXT } from "./openapi-parts.ts";
import { PINS_MAX, PLAN_NAME_MAX } from "../domain/plan.ts";

const NAME = { type: "string", minLength: 1, maxLength: PLAN_NAME_MAX };
const IF_MATCH = header("If-Match", "Only if the plan still has this etag");
const SHARE = { type: "number", minimum: 0, maximum: 100 };
const PICTURE = { body: { type: "string", format: "binary" }, bodyType: "application/octet-stream" } as const;

/** The floor plans. Each change responds with the plans after it. */
export const FLOOR_PLANS: readonly Operation[] = [
  operation("GET /site/plans", "viewer", "listPlans", {
    summary: "Floor plans with the places of their zones",
    answer: listOf("PlanView"),
  }),
  operation("POST /site/plans", "administrator", "addPlan", {
    summary: "Add a floor plan: a PNG or JPEG picture of at most 2 MB",
    query: [query("name", "Name of the floor", NAME)],
    ...PICTURE,
    answer: listOf("PlanView"),
    success: [201, "The plans with the new one"],
    errors: [409],
  }),
  operation("PUT /site/plans/{id}", "administrator", "changePlan", {
    summary: "Change the name or the places of the zones, in per cent of the picture's width and height",
    body: objectOf(
      {
        name: NAME,
        pins: { type: "array", maxItems: PINS_MAX, items: objectOf({ zone: TEXT, x: SHARE, y: SHARE }) },
      },
      [],
    ),
    answer: listOf("PlanView"),
    query: [IF_MATCH],
    errors: [404, 412],
  }),
  operation("DELETE /site/plans/{id}", "administrator", "removePlan", {
    summary: "Remove a floor plan with its picture",
    answer: listOf("PlanView"),
    query: [IF_MATCH],
    errors: [404, 412],
  }),
  operation("GET /site/plans/{id}/picture", "viewer", "getPlanPicture", {
    summary: "The picture of a floor plan",
    answer: "image/*",
    errors: [404],
  }),
  operation("PUT /site/plans/{id}/picture", "administrator", "replacePlanPicture", {
    summary: "Replace the picture; the zones stay in their places",
    ...PICTURE,
    answer: listOf("PlanView"),
    query: [IF_MATCH],
    errors: [404, 412],
  }),
];
