import { type Json, listOf, MINUTES, objectOf, schema, type SiteOperation, TEXT } from "./openapi-parts.ts";

function orNull(name: string): Json {
  return { anyOf: [schema(name), { type: "null" }] };
}

/** Walk tests, signal tests and outputs. */
export const FIELD_TESTS: readonly SiteOperation[] = [
  {
    method: "get",
    path: "/site/outputs",
    role: "viewer",
    id: "listOutputs",
    summary: "The outputs and their state",
    answer: listOf("OutputView"),
  },
  {
    method: "post",
    path: "/site/outputs/{name}/test",
    role: "operator",
    id: "testOutput",
    summary: "Switch an output for two seconds; not while it is in use",
    answer: listOf("OutputView"),
    errors: [404, 409],
  },
  {
    method: "get",
    path: "/site/walk-test",
    role: "viewer",
    id: "getWalkTest",
    summary: "The running or last walk test; null before the first",
    answer: orNull("WalkTestView"),
  },
  {
    method: "post",
    path: "/site/walk-test",
    role: "operator",
    id: "startOrEndWalkTest",
    summary: "Start a walk test, or end it with `end`; null if none was running",
    body: objectOf({ minutes: MINUTES, end: { type: "boolean" } }, []),
    answer: orNull("WalkTestView"),
    errors: [404, 409],
  },
  {
    method: "post",
    path: "/site/signal-test",
    role: "operator",
    id: "startSignalTest",
    summary: "Send a marked intervention along the path of an alarm",
    body: objectOf({ zone: TEXT }, []),
    answer: schema("SignalTestView"),
    errors: [404, 409, 503],
  },
  {
    method: "get",
    path: "/site/signal-test/{id}",
    role: "viewer",
    id: "getSignalTest",
    summary: "Progress of a signal test",
    answer: schema("SignalTestView"),
    errors: [404],
  },
];
