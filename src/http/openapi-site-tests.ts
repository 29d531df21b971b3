import {
  type Json,
  listOf,
  MINUTES,
  objectOf,
  operation,
  query,
  schema,
  type Operation,
  TEST_KEY,
  TEXT,
} from "./openapi-parts.ts";

function orNull(name: string): Json {
  return { anyOf: [schema(name), { type: "null" }] };
}

/** Walk tests, signal tests and outputs. */
export const FIELD_TESTS: readonly Operation[] = [
  operation("GET /site/outputs", "viewer", "listOutputs", {
    summary: "The outputs and their state",
    answer: listOf("OutputView"),
  }),
  operation("POST /site/outputs/{name}/test", "operator", "testOutput", {
    summary: "Switch an output for two seconds; not while it is in use or cannot be switched",
    query: [TEST_KEY],
    answer: listOf("OutputView"),
    errors: [404, 409, 422, 503],
  }),
  operation("GET /site/walk-test", "viewer", "getWalkTest", {
    summary: "The running walk test, or the result of the last one; null before the first",
    answer: orNull("WalkTestView"),
  }),
  operation("POST /site/walk-test", "operator", "startOrEndWalkTest", {
    summary: "Start a walk test, extend it with `extend` or end it with `end`; null if none was running",
    body: objectOf({ minutes: MINUTES, extend: { type: "boolean" }, end: { type: "boolean" } }, []),
    answer: orNull("WalkTestView"),
    errors: [404, 409, 503],
  }),
  operation("GET /site/walk-tests", "viewer", "listWalkTests", {
    summary: "The walk tests that have ended, newest first; Link leads to the next page",
    query: [
      query("limit", "Number of tests", { type: "integer", minimum: 1, maximum: 100, default: 20 }),
      query("before", "Only tests with a smaller number", { type: "integer", minimum: 1 }),
    ],
    answer: listOf("EndedWalkTestView"),
  }),
  operation("GET /site/walk-tests/{id}", "viewer", "getWalkTestResult", {
    summary: "The stored result of a walk test; the ETag is the SHA-256 of the response body",
    query: [query("sha256", "Which one, if several tests have this number", { type: "string" })],
    answer: schema("WalkTestResult"),
    errors: [404],
  }),
  operation("POST /site/signal-test", "operator", "startSignalTest", {
    summary: "Send a marked intervention along the path of an alarm",
    query: [TEST_KEY],
    body: objectOf({ zone: TEXT }, []),
    answer: schema("SignalTestView"),
    errors: [404, 409, 422, 503],
  }),
  operation("GET /site/signal-test/{id}", "viewer", "getSignalTest", {
    summary: "Progress of a signal test",
    answer: schema("SignalTestView"),
    errors: [404],
  }),
];
