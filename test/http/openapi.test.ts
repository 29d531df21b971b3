import { Ajv } from "ajv";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import type { RequestListener } from "node:http";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiDocument } from "../../src/http/openapi.ts";
import { SITE_OPERATIONS } from "../../src/http/openapi-site.ts";
import { OpenApiResponses } from "../support/openapi-responses.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp } from "../support/app.ts";
import { codeFor } from "../support/enrolled-site.ts";
import { REPORT } from "../support/fleet.ts";

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

const RECORD = { name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 } as const;
const PICTURE = Buffer.from("89504e470d0a1a0a", "hex");
const BODIES: Readonly<Record<string, object>> = {
  "post /auth/token": { email: TEST_ACCOUNTS.operator, password: PASSWORD },
  "post /interventii": RECORD,
  "post /site-reports": REPORT,
  "post /enrolments": { site: "hala-nord", objectives: ["obiective/cladiri/1"] },
  "post /site/plans": PICTURE,
  "put /site/plans/{id}/picture": PICTURE,
  "put /site/plans/{id}": { name: "Second floor" },
  "put /site/accounts/{email}": { role: "viewer", currentPassword: PASSWORD },
  "post /site/accounts": {
    email: "new@test.example",
    role: "viewer",
    password: PASSWORD,
    currentPassword: PASSWORD,
  },
};
const QUERIES: Readonly<Record<string, string>> = {
  "/sites/records": "?ids=1",
  "/site/plans": "?name=First",
  "/site/sync/records": "?ids=1",
};
/** What only its own route can say, of operations that this application without a configuration or zones cannot do. */
const WITHOUT_ZONES = /^404 this application has no zones$/;
const WITHOUT_CONFIGURATION = /^500 /;
const OTHERWISE: Readonly<Record<string, RegExp>> = {
  "get /site/zones/{id}/source": WITHOUT_ZONES,
  "post /site/zones/{id}/bypass": WITHOUT_ZONES,
  "post /site/zones/{id}/restore": WITHOUT_ZONES,
  "post /site/outputs/{name}/test": WITHOUT_ZONES,
  "post /site/walk-test": WITHOUT_ZONES,
  "get /site/walk-tests/{id}": WITHOUT_ZONES,
  "post /site/signal-test": WITHOUT_ZONES,
  "get /site/signal-test/{id}": WITHOUT_ZONES,
  "post /site/sync/try-centre": WITHOUT_ZONES,
  "get /site/configuration/zones": WITHOUT_CONFIGURATION,
  "post /site/configuration/proposal": WITHOUT_CONFIGURATION,
  "post /site/configuration/apply": WITHOUT_CONFIGURATION,
  "post /site/configuration/return": WITHOUT_CONFIGURATION,
  "get /site/configuration/earlier": WITHOUT_CONFIGURATION,
  "get /site/configuration/earlier/{name}": WITHOUT_CONFIGURATION,
  "get /site/enrolment": WITHOUT_CONFIGURATION,
  "post /site/enrolment": WITHOUT_CONFIGURATION,
  "get /site/discovered": WITHOUT_CONFIGURATION,
  "post /site/configuration/confirmation": /^400 send \{"password"\}$/,
  "post /site/discovered/trial": /^400 input must be /,
  "post /site/simulate": /^400 send \{"zone"/,
  "post /enrolments/claim": /^400 code is required; password is required$/,
  "post /site/password": /^400 currentPassword is required/,
  "post /site/restore": /^400 send \{"copy"/,
  "post /site/restore/pieces": /^400 from must be a number of bytes$/,
  "post /site/setup": /^400 code is required; email is required/,
  "get /site/ca.crt": /^404 this installation has no certificate authority of its own$/,
};

let site: TestApp;
let token: string;
let administrator: string;
beforeAll(async () => {
  site = await TestApp.make();
  token = await site.token();
  administrator = await site.token("administrator");
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
    const existing = await idsThatExist(path);
    const body = BODIES[`${method} ${path}`] ?? {};
    const exists = await ask(method, `${withIds(path, existing)}${QUERIES[path] ?? ""}`, body, administrator);
    const answers = [
      exists,
      await ask(method, withIds(path, existing), {}),
      await ask(method, withIds(path, { ...existing, id: 4711 }), { crews: "x" }),
      await request(site.app)[method as "get"](withIds(path, { ...existing, id: 1 })),
    ];
    for (const answer of answers) {
      const described = operation.responses[String(answer.status)];
      expect(described, `${method} ${path} answered ${answer.status}`).toBeDefined();
      const schema = described?.content?.["application/json"]?.schema;
      if (schema) expect(fits(schema, answer.body)).toBe("");
    }
    const said = `${exists.status} ${(exists.body as { message?: string } | null)?.message ?? ""}`;
    expect(said).toMatch(OTHERWISE[`${method} ${path}`] ?? /^20[0-9] /);
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

/** Makes what the ids of a path name. */
async function idsThatExist(path: string): Promise<Readonly<Record<string, string | number>>> {
  // Over the API: in whichever database the records are.
  const record = (await ask("post", "/interventii", RECORD)).body as { id: number };
  const others = { site: "claim", email: TEST_ACCOUNTS.viewer };
  if (path.startsWith("/enrolments/")) await codeFor(site, "claim", ["obiective/cladiri/1"]);
  const makers: Readonly<Record<string, [string, object]>> = {
    "/sites/{id}": ["/site-reports", REPORT],
    "/site/plans/{id}": ["/site/plans?name=Ground", PICTURE],
    "/site/plans/{id}/picture": ["/site/plans?name=Ground", PICTURE],
  };
  const maker = makers[path];
  if (maker === undefined) return { ...others, id: path.startsWith("/obiective") ? 1 : record.id };
  const made = await ask("post", ...maker, administrator);
  const list = path === "/sites/{id}" ? await ask("get", "/sites", {}, administrator) : made;
  return { ...others, id: (list.body as { id: number }[])[0]?.id ?? 0 };
}

function withIds(path: string, ids: Readonly<Record<string, string | number>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name] ?? "x"));
}

async function ask(asked: string, path: string, body: object, as = token): Promise<request.Response> {
  // The body of a stream does not end.
  const method = path === "/site/events" ? "head" : asked;
  const pendingRequest = request(site.app)[method as "get"](path).set("Authorization", `Bearer ${as}`);
  if (["get", "head", "delete"].includes(method)) return pendingRequest;
  if (Buffer.isBuffer(body)) void pendingRequest.set("Content-Type", "application/octet-stream");
  return pendingRequest.send(body);
}
