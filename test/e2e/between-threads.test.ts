import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askDaemon } from "../support/control-socket.ts";
import { buildingsYaml, Installation } from "../support/installation.ts";

/* Requests that pass from the thread of the web server to the thread of the records. */

/** In 90 kB. A copy for another thread is recursive, and needs more stack than there is. */
const LEVELS = 45_000;
const MINIMAL = { name: "Poarta", objectiveType: "obiective/cladiri", objectiveId: 1 };

const installation = Installation.temporary(afterAll);
let token: string;
let baseUrl: string;
beforeAll(async () => {
  const account = { email: "ana@example.ro", password: "correct horse battery staple" };
  const daemon = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(1)}`,
  );
  await daemon.addAccount(account, "operator");
  baseUrl = `http://127.0.0.1:${(await daemon.start()).httpPort}`;
  const signIn = await send("POST", "/auth/token", JSON.stringify(account));
  ({ token } = (await signIn.json()) as { token: string });
});

function send(method: string, path: string, body?: string): Promise<Response> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  return fetch(baseUrl + path, { method, headers, ...(body === undefined ? {} : { body }) });
}

test("a body that nests very deep gets 400 on each route, and the web server goes on", async () => {
  expect((await send("POST", "/interventii", JSON.stringify(MINIMAL))).status).toBe(201);
  const deep = `{"invoicePdf":${"[".repeat(LEVELS)}${"]".repeat(LEVELS)}`;
  const statuses = await Promise.all([
    send("POST", "/interventii", `${JSON.stringify(MINIMAL).slice(0, -1)},${deep.slice(1)}}`),
    send("PUT", "/interventii/1", `${deep}}`),
    send("PATCH", "/interventii/1", `${deep}}`),
    send("POST", "/auth/token", `${deep}}`),
    send("POST", "/enrolments/claim", `${deep}}`),
    send("POST", "/site/setup", `${deep}}`),
  ]).then((answers) => answers.map(({ status }) => status));
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400]);
  const { value } = await askDaemon(join(installation.folder, "site"), "GET", "/site/status");
  expect(JSON.stringify(value)).not.toContain("thread-failed");
});

test("each request for a deleted intervention learns that it was deleted, a change of it too", async () => {
  const made = (await (await send("POST", "/interventii", JSON.stringify(MINIMAL))).json()) as { id: number };
  const path = `/interventii/${made.id}`;
  expect((await send("DELETE", path)).status).toBe(204);
  const answers = [await send("GET", path), await send("PUT", path, "{}"), await send("DELETE", path)];
  expect(answers.map(({ status, headers }) => `${status} ${headers.get("X-Error-Code")}`)).toEqual([
    "404 deleted",
    "404 deleted",
    "404 deleted",
  ]);
});
