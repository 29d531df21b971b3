import { describe, expect, test } from "vitest";
import type { Reply } from "../../src/client/api-client.ts";
import { classify, classifyRead, type WriteMethod } from "../../src/sync/reply-classification.ts";
import { itemsOf } from "../../src/sync/wrapped-body.ts";

/*
 * What a response says about the record and the link. What the synchronisation does then is in responses.test.ts.
 */

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const NOW_MS = Date.UTC(2026, 10, 20, 21, 30);

function answered(status: number, body: unknown = {}, headers: Record<string, string> = {}): Reply {
  return {
    kind: "answered",
    status,
    headers: { ...JSON_TYPE, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}
const page = (status: number, type = "text/html"): Reply =>
  answered(status, "<html></html>", { "content-type": type });
const error = (status: number): Reply =>
  answered(status, {
    error: "Not Found",
    message: "no such record",
    statusCode: status,
  });
const write = (method: WriteMethod, reply: Reply): string => {
  const { event, link } = classify(method, reply, NOW_MS);
  return `${event}, ${link}`;
};

describe("a write", () => {
  const METHODS = ["POST", "PUT", "DELETE"] as const;

  test.each<[status: number, outcome: string]>([
    [400, "refused, ok"],
    [401, "not-applied, signed-out"],
    [403, "not-applied, forbidden"],
    [408, "ambiguous, busy"],
    [409, "not-applied, ok"],
    [412, "not-applied, ok"],
    [413, "refused, ok"],
    [415, "refused, ok"],
    [422, "refused, ok"],
    [425, "not-applied, busy"],
    [429, "not-applied, busy"],
    [500, "ambiguous, ok"],
    [501, "not-applied, not-the-interface"],
    [502, "ambiguous, busy"],
    [503, "ambiguous, busy"],
    [599, "ambiguous, busy"],
    [301, "not-applied, not-the-interface"],
    [405, "not-applied, not-the-interface"],
  ])("answered with %d is: %s", (status, outcome) => {
    for (const method of METHODS) expect(write(method, answered(status))).toBe(outcome);
  });

  test("is not applied if it was never sent, and ambiguous if its response was lost", () => {
    const [code, text] = ["ECONNREFUSED", "connection refused"];
    for (const method of METHODS) {
      expect(classify(method, { kind: "not-sent", code, error: text }, NOW_MS)).toEqual({
        event: "not-applied",
        link: "unreachable",
        code,
        reason: text,
      });
      expect(classify(method, { kind: "lost", code, error: text }, NOW_MS)).toEqual({
        event: "ambiguous",
        link: "unreachable",
        code,
        reason: text,
        mayBeRecordSpecific: true,
      });
    }
  });

  test.each<[what: string, reply: Reply, outcomes: readonly [post: string, put: string, remove: string]]>([
    ["404 of the interface", error(404), ["missing, ok", "missing, ok", "not-applied, ok"]],
    [
      "404 with a list of messages",
      answered(404, {
        error: "Not Found",
        message: ["a", "b"],
        statusCode: 404,
      }),
      ["missing, ok", "missing, ok", "not-applied, ok"],
    ],
  ])("%s", (_what, reply, outcomes) => {
    expect(METHODS.map((method) => write(method, reply))).toEqual(outcomes);
  });

  test.each<[what: string, reply: Reply]>([
    ["as a page", page(404)],
    ["with the code of another status", answered(404, { error: "e", message: "m", statusCode: 400 })],
    ["without an error", answered(404, { message: "m", statusCode: 404 })],
    ["without a message", answered(404, { error: "e", statusCode: 404 })],
    ["with a message that is no text", answered(404, { error: "e", message: 5, statusCode: 404 })],
    ["without a body", answered(404, "")],
    ["with null", answered(404, "null")],
    [
      "of the interface's form in another type",
      answered(404, { error: "e", message: "m", statusCode: 404 }, { "content-type": "text/plain" }),
    ],
  ])("answered with 404 %s says nothing about the record", (_what, reply) => {
    for (const method of METHODS) expect(write(method, reply)).toBe("not-applied, not-the-interface");
  });

  test.each<[what: string, reply: Reply, post: string, put: string]>([
    ["201 with a record", answered(201, { id: 7 }), "applied, ok", "ambiguous, not-the-interface"],
    ["200 with a record", answered(200, { id: 7 }), "ambiguous, not-the-interface", "applied, ok"],
    ["201 without an id", answered(201, {}), "ambiguous, unreachable", "ambiguous, not-the-interface"],
    ["204", answered(204, "", {}), "ambiguous, not-the-interface", "ambiguous, not-the-interface"],
    [
      "200 with a text",
      page(200, "text/plain"),
      "ambiguous, not-the-interface",
      "ambiguous, not-the-interface",
    ],
    ["200 without an id", answered(200, {}), "ambiguous, not-the-interface", "ambiguous, unreachable"],
    ["201 with a page", page(201), "ambiguous, not-the-interface", "not-applied, not-the-interface"],
    ["200 with a page", page(200), "not-applied, not-the-interface", "not-applied, not-the-interface"],
    [
      "200 with a page of another type",
      page(200, "application/xhtml+xml"),
      "not-applied, not-the-interface",
      "not-applied, not-the-interface",
    ],
    [
      "202 with a text",
      page(202, "text/plain"),
      "ambiguous, not-the-interface",
      "ambiguous, not-the-interface",
    ],
    [
      "a redirect to a record",
      answered(303, "", { location: "/interventii/7" }),
      "ambiguous, not-the-interface",
      "not-applied, not-the-interface",
    ],
    [
      "a redirect to a sign-in page that names the list",
      answered(302, "", { location: "http://portal.example/?to=http://centre.example/interventii" }),
      "not-applied, not-the-interface",
      "not-applied, not-the-interface",
    ],
    ["299", answered(299), "ambiguous, not-the-interface", "ambiguous, not-the-interface"],
    ["300", answered(300), "not-applied, not-the-interface", "not-applied, not-the-interface"],
    ["199", answered(199), "not-applied, not-the-interface", "not-applied, not-the-interface"],
  ])("answered with %s: POST %s, PUT %s", (_what, reply, post, put) => {
    expect([write("POST", reply), write("PUT", reply)]).toEqual([post, put]);
  });

  test("of a deletion is applied with 204, or with 200 and JSON", () => {
    expect(write("DELETE", answered(204, "", { "content-type": "" }))).toBe("removed, ok");
    expect(write("DELETE", answered(200))).toBe("removed, ok");
    for (const other of [page(200), answered(201), answered(202)])
      expect(write("DELETE", other)).toBe("not-applied, not-the-interface");
  });

  test("that is applied has the id and the known fields of the record, and whether keys are honoured", () => {
    const record = { id: 7, name: "Patrol", unknown: 1 };
    const made = classify("POST", answered(201, record, { "idempotency-key": "k" }), NOW_MS);
    expect(made).toEqual({
      event: "applied",
      link: "ok",
      code: "201",
      reason: "answered 201",
      record: { id: 7, json: '{"id":7,"name":"Patrol"}' },
      echoesKey: true,
    });
    expect(classify("POST", answered(201, record), NOW_MS).echoesKey).toBe(false);
    expect(classify("POST", answered(201, { id: 7 }, { "content-type": "text/plain" }), NOW_MS).event).toBe(
      "applied",
    );
  });

  test.each(["application/json", "APPLICATION/JSON", "application/problem+json", "application/vnd.a-b+json"])(
    "answered with %s is answered with JSON",
    (type) => {
      expect(write("DELETE", answered(200, {}, { "content-type": type }))).toBe("removed, ok");
    },
  );

  test.each(["application/jsonp", "text/application/json", "x", ""])("answered with %j is not", (type) => {
    expect(write("DELETE", answered(200, {}, { "content-type": type }))).toBe(
      "not-applied, not-the-interface",
    );
  });
});

describe("a fault may be that of one record", () => {
  const specific = (method: WriteMethod, reply: Reply) => {
    const { mayBeRecordSpecific = false, readDecides = false } = classify(method, reply, NOW_MS);
    return { mayBeRecordSpecific, readDecides };
  };

  test.each([400, 409, 500].map((status) => answered(status)))("not if the link is well: %j", (reply) => {
    expect(specific("POST", reply)).toEqual({
      mayBeRecordSpecific: false,
      readDecides: false,
    });
  });

  test.each([401, 425, 429])("not if the account or the centre is the cause: %d", (status) => {
    expect(specific("POST", answered(status))).toEqual({
      mayBeRecordSpecific: false,
      readDecides: false,
    });
  });

  test.each([403, 405, 501])("%d: a read decides for a change, not for a creation", (status) => {
    expect(specific("POST", answered(status))).toEqual({
      mayBeRecordSpecific: true,
      readDecides: false,
    });
    for (const method of ["PUT", "DELETE"] as const)
      expect(specific(method, answered(status))).toEqual({
        mayBeRecordSpecific: true,
        readDecides: true,
      });
  });

  test.each([404, 410])("%d of a gateway: a read decides for a change", (status) => {
    expect(specific("PUT", page(status))).toEqual({
      mayBeRecordSpecific: true,
      readDecides: true,
    });
  });

  test.each([408, 502, 503])("%d: the number of such responses decides", (status) => {
    for (const method of ["POST", "PUT"] as const)
      expect(specific(method, answered(status))).toEqual({
        mayBeRecordSpecific: true,
        readDecides: false,
      });
  });

  test.each([429, 503])("%d with a time: it is one of this kind of request, and a read decides", (status) => {
    expect(specific("POST", answered(status, {}, { "retry-after": "5" }))).toEqual({
      mayBeRecordSpecific: true,
      readDecides: true,
    });
  });

  test("not with a time and another code: the whole centre has asked for it", () => {
    expect(specific("POST", answered(502, {}, { "retry-after": "5" }))).toEqual({
      mayBeRecordSpecific: false,
      readDecides: false,
    });
  });
});

describe("the wait that a response asks for", () => {
  test.each<[text: string, waitMs: number | undefined]>([
    ["0", 0],
    ["5", 5_000],
    ["120", 120_000],
    ["3600", 3_600_000],
    ["3601", 3_600_000],
    [new Date(NOW_MS + 60_000).toUTCString(), 60_000],
    [new Date(NOW_MS - 60_000).toUTCString(), 0],
    ["soon", undefined],
  ])("%s is %s ms, at most an hour", (text, waitMs) => {
    expect(classify("POST", answered(503, {}, { "retry-after": text }), NOW_MS).retryAfterMs).toBe(waitMs);
  });
});

describe("the reason", () => {
  const reason = (body: unknown): string => classify("POST", answered(422, body), NOW_MS).reason;

  test.each<[body: unknown, reason: string]>([
    [{ message: "no crew" }, "answered 422: no crew"],
    [{ message: ["no crew", 5, "no name"] }, "answered 422: no crew; no name"],
    [{ message: 5 }, "answered 422"],
    ["<html>", "answered 422"],
    ["null", "answered 422"],
  ])("of %j is %s", (body, expected) => {
    expect(reason(body)).toBe(expected);
  });

  test("is short, and without characters that change a terminal", () => {
    expect(reason({ message: "x".repeat(301) })).toBe(`answered 422: ${"x".repeat(300)}`);
    expect(reason({ message: "no\u001b[2J\u0007\u202E such\nobjective" })).toBe(
      "answered 422: no\uFFFD[2J\uFFFD\uFFFD such\uFFFDobjective",
    );
  });
});

describe("a read", () => {
  test("of a list or a record has its value, total and version", () => {
    const reply = answered(200, [{ id: 1 }], {
      "x-total-count": "40",
      etag: 'W/"a1"',
    });
    expect(classifyRead(reply, NOW_MS)).toEqual({
      link: "ok",
      code: "200",
      reason: "answered 200",
      value: [{ id: 1 }],
      total: 40,
      tag: 'W/"a1"',
    });
    expect(classifyRead(answered(200, { items: [], total: 3 }), NOW_MS).total).toBe(3);
    for (const total of ["many", 1.5, undefined, null])
      expect(classifyRead(answered(200, { items: [], total }), NOW_MS)).not.toHaveProperty("total");
    expect(classifyRead(answered(200, [], { "x-total-count": "many" }), NOW_MS)).not.toHaveProperty("total");
  });

  test.each(['"a"', `"${"a".repeat(200)}"`, 'W/"!#~"'])("has the version %s", (etag) => {
    expect(classifyRead(answered(200, {}, { etag }), NOW_MS).tag).toBe(etag);
  });

  test.each(["a", '""', `"${"a".repeat(201)}"`, '"a b"', '"a"b"', 'x"a"', '"a"x'])(
    "has no version with %s",
    (etag) => {
      expect(classifyRead(answered(200, {}, { etag }), NOW_MS)).not.toHaveProperty("tag");
    },
  );

  test("is unchanged with 304 only if it named a version", () => {
    expect(classifyRead(answered(304, "", { etag: '"a"' }), NOW_MS, true)).toEqual({
      link: "ok",
      code: "304",
      reason: "answered 304",
      isUnchanged: true,
      tag: '"a"',
    });
    expect(classifyRead(answered(304, ""), NOW_MS)).toMatchObject({
      link: "not-the-interface",
    });
    expect(classifyRead(answered(200), NOW_MS, true)).not.toHaveProperty("isUnchanged");
    const lost: Reply = { kind: "lost", code: "ETIMEDOUT", error: "timed out" };
    expect(classifyRead(lost, NOW_MS, true)).toEqual({
      link: "unreachable",
      code: "ETIMEDOUT",
      reason: "timed out",
      mayBeRecordSpecific: true,
    });
  });

  test("without JSON is not of the interface, and may be that of one record", () => {
    for (const reply of [page(200), answered(200, "{"), answered(200, "5"), answered(200, "null")])
      expect(classifyRead(reply, NOW_MS)).toMatchObject({
        link: "not-the-interface",
        mayBeRecordSpecific: true,
      });
  });

  test("of a missing record shows that the link is up, and has the word of the error", () => {
    const missing = answered(
      404,
      { error: "Not Found", message: "gone", statusCode: 404 },
      { "x-error-code": "NOT-FOUND" },
    );
    expect(classifyRead(missing, NOW_MS)).toEqual({
      link: "ok",
      code: "404",
      reason: "answered 404: gone",
      errorCode: "NOT-FOUND",
      mayBeRecordSpecific: false,
    });
    expect(classifyRead(error(404), NOW_MS)).not.toHaveProperty("errorCode");
  });

  test("that is denied or postponed has what the next one needs", () => {
    expect(classifyRead(answered(403), NOW_MS)).toMatchObject({
      link: "forbidden",
      readDecides: true,
    });
    expect(classifyRead(answered(503, {}, { "retry-after": "5" }), NOW_MS)).toMatchObject({
      link: "busy",
      retryAfterMs: 5_000,
    });
    expect(classifyRead(answered(502), NOW_MS)).not.toHaveProperty("readDecides");
    expect(classifyRead(answered(502), NOW_MS)).not.toHaveProperty("retryAfterMs");
  });
});

test.each<[value: unknown, items: readonly unknown[] | undefined]>([
  [[1], [1]],
  [{ data: [1] }, [1]],
  [{ items: [1] }, [1]],
  [{ results: [1], total: 1 }, [1]],
  [{ data: { items: [1] } }, [1]],
  [{ statusCode: 200, data: [1] }, [1]],
  [{ statusCode: 500, list: [1] }, undefined],
  [{ error: "no", list: [1] }, undefined],
  [{ error: "the database is down", data: [] }, undefined],
  [{ statusCode: 500, items: [] }, undefined],
  [{ error: false, interventii: [1] }, [1]],
  [{ error: 0, interventii: [1] }, [1]],
  [{}, undefined],
  [null, undefined],
  ["text", undefined],
])("the items of %j are %j", (value, items) => {
  expect(itemsOf(value)).toEqual(items);
});
