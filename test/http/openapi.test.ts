import { Ajv } from "ajv";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import type { RequestListener } from "node:http";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiDocument } from "../../src/http/openapi.ts";
import { SITE_OPERATIONS } from "../../src/http/openapi-site.ts";
import { OpenApiResponses } from "../support/openapi-responses.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: object }> }>>;
}
const document = openApiDocument("") as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [method, path, operation] as const),
);

let site: TestApp;
let token: string;
beforeAll(async () => {
  site = await TestApp.make();
  token = await site.token();
});
afterAll(() => site.close());

const ajv = new Ajv({ strict: false, formats: { "interface-date-time": true } });
const fits = (schema: object, value: unknown): string => {
  const validate = ajv.compile({ ...schema, components: document.components });
  return validate(value) ? "" : ajv.errorsText(validate.errors);
};

describe("the OpenAPI document", () => {
  test("lists every operation once, and has no broken reference", () => {
    const names = operations.map(([, , { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(24 + SITE_OPERATIONS.length);
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      (match) => match[1] ?? "",
    );
    expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
  });

  test("is served only with a token, and printed by the command line", async () => {
    await request(site.app).get("/openapi.json").expect(401);
    const { body } = await request(site.app)
      .get("/openapi.json")
      .set("Authorization", `Bearer ${token}`)
      .expect(200);
    expect(body).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test.each(operations)("%s %s exists, and its responses match", async (method, path, operation) => {
    const made = site.interventions.create(
      { name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 },
      OPERATOR_USER,
    );
    const id = path.startsWith("/obiective") ? 1 : made.record.id;
    const answers = [
      await ask(
        method,
        path.replace("{id}", String(id)),
        path === "/interventii" ? { name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 } : {},
      ),
      await ask(method, path.replace("{id}", "4711"), { crews: "x" }),
      await request(site.app)[method as "get"](path.replace("{id}", "1")),
    ];
    for (const { status, body } of answers) {
      const described = operation.responses[String(status)];
      expect(described, `${method} ${path} answered ${status}`).toBeDefined();
      const schema = described?.content?.["application/json"]?.schema;
      if (schema) expect(fits(schema, body)).toBe("");
    }
    expect(answers[0]?.status).not.toBe(405);
  });

  test("passes the strict rules of the linter, which detect a planted error", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    const problems = async (text: string): Promise<string[]> =>
      (await lintFromString({ source: text, config, absoluteRef: "openapi.json" })).map(
        ({ ruleId, message }) => `${ruleId}: ${message}`,
      );
    const text = JSON.stringify(openApiDocument("/api/v1"));
    expect(await problems(text)).toEqual([]);
    expect(
      await problems(text.replace('"operationId":"getIntervention"', '"operationId":"listInterventions"')),
    ).toEqual([expect.stringMatching(/^operation-operationId-unique/)]);
  });

  describe("validates every response of the tests, and detects", () => {
    const answering = (status: number, body: unknown): RequestListener => {
      return (_request, response) => {
        response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
      };
    };
    test.each([
      ["a field of another type", "/interventii/1", 404, { error: "x", message: ["y"], statusCode: 404 }],
      ["a status that is not described", "/interventii", 418, { error: "x", message: "y", statusCode: 418 }],
      ["a record without all its fields", "/interventii", 200, [{ id: 1 }]],
      ["a body that says another status", "/nowhere", 404, { error: "x", message: "y", statusCode: 400 }],
      [
        "another shape at an address that is not described",
        "/nowhere",
        404,
        { message: "y", statusCode: 404 },
      ],
    ])("%s", async (_what, path, status, body) => {
      const answers = new OpenApiResponses("");
      await request(answers.watch(answering(status, body))).get(path);
      expect([answers.checked, answers.violations.length]).toEqual([1, 1]);
    });
  });
});

function ask(asked: string, path: string, body: object): Promise<request.Response> {
  // The body of a stream does not end.
  const method = path === "/site/events" ? "head" : asked;
  const pendingRequest = request(site.app)[method as "get"](path).set("Authorization", `Bearer ${token}`);
  return (["get", "head", "delete"].includes(method) ? pendingRequest : pendingRequest.send(body)).then(
    (answer) => answer,
  );
}
