import { writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { join } from "node:path";
import request from "supertest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { eventually } from "../support/eventually.ts";
import { listen } from "../support/loopback.ts";
import { NO_SETTINGS, PASSWORD, TEST_ACCOUNTS, TestApp, type TestParts } from "../support/app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder(afterAll);
let site: TestApp;
let failure: AppError | undefined;
/** Runs while the backup is created. */
let meanwhile: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  writeFileSync(join(folder, "download.db"), "a copy");
  const lendCopy: TestParts["settings"]["withTemporaryBackup"] = async (take) => {
    if (failure) throw failure;
    await meanwhile();
    await take(join(folder, "download.db"), new AbortController().signal);
  };
  site = await TestApp.make({ settings: { ...NO_SETTINGS, withTemporaryBackup: lendCopy } });
});
afterAll(() => site.close());

async function ask(role: keyof typeof TEST_ACCOUNTS, path: string): Promise<request.Response> {
  return request(site.app)
    .get(path)
    .set("Authorization", `Bearer ${await site.token(role)}`);
}

test.each(["/site/configuration", "/site/backup"])("%s requires an administrator", async (path) => {
  expect((await ask("viewer", path)).status).toBe(403);
  expect((await ask("operator", path)).status).toBe(403);
  expect((await ask("administrator", path)).status).toBe(200);
});

test("a backup is restored only with the administrator's own password", async () => {
  const authorization = `Bearer ${await site.token("administrator")}`;
  const restore = async (body: object): Promise<request.Response> =>
    request(site.app).post("/site/restore").set("Authorization", authorization).send(body);
  expect((await restore({ copy: 1, dryRun: true })).status).toBe(200);
  for (const wrong of [{}, { currentPassword: "guessed" }, { currentPassword: 1 }])
    expect((await restore({ copy: 1, ...wrong })).status).toBe(403);
  expect((await restore({ copy: 1, currentPassword: PASSWORD })).status).toBe(202);
});

test("a backup is downloaded as a file, and the event log names the user", async () => {
  const answer = await ask("administrator", "/site/backup");
  expect(answer.headers["content-disposition"]).toBe("attachment; filename=test.db");
  expect(answer.headers["cache-control"]).toBe("no-store");
  expect((answer.body as Buffer).toString()).toBe("a copy");
  expect(site.events.newest(5).find(({ event }) => event === "backup-downloaded")).toMatchObject({
    who: TEST_ACCOUNTS.administrator,
    subject: "database",
  });
});

test("a client that leaves before the first byte of a backup is no defect", async () => {
  const token = await site.token("administrator");
  const server = createServer(site.app);
  const port = await listen(server);
  const headers = { Authorization: `Bearer ${token}` };
  const client = get({ host: "127.0.0.1", port, path: "/site/backup", headers });
  client.on("error", () => {});
  let hasLeft = false;
  server.once("connection", (socket) => socket.once("close", () => (hasLeft = true)));
  meanwhile = async () => {
    client.destroy();
    await eventually("the connection to be closed", () => hasLeft);
  };
  const downloads = (): number =>
    site.events.newest(50).filter(({ event }) => event === "backup-downloaded").length;
  const before = downloads();
  await eventually("the download to begin", () => downloads() > before);
  meanwhile = () => Promise.resolve();
  await ask("administrator", "/site/backup");
  expect(site.logLines.filter((line) => line.includes("request-failed"))).toEqual([]);
  server.close();
});

test("a failed backup gets the error body", async () => {
  failure = new AppError("conflict", "a backup is already being downloaded; try again later");
  expect((await ask("administrator", "/site/backup")).status).toBe(409);
});

test("debug logging lasts as long as an administrator sets, and the event log names the user", async () => {
  const order = async (role: keyof typeof TEST_ACCOUNTS, body: object): Promise<request.Response> =>
    request(site.app)
      .post("/site/log-level")
      .set("Authorization", `Bearer ${await site.token(role)}`)
      .send(body);
  expect((await order("operator", {})).status).toBe(403);
  expect((await order("administrator", {})).body).toEqual({ until: "in 30 minutes" });
  expect((await order("administrator", { minutes: 5 })).body).toEqual({ until: "in 5 minutes" });
  for (const minutes of [0, 121, 1.5, "30"])
    expect((await order("administrator", { minutes })).status).toBe(400);
  expect(site.events.newest(9).filter(({ event }) => event === "log-detailed")).toHaveLength(2);
});

test("a piece of an upload that is too large gets the limit of a piece", async () => {
  const answer = await request(site.app)
    .post("/site/restore/pieces?from=0")
    .set("Authorization", `Bearer ${await site.token("administrator")}`)
    .set("Content-Type", "application/octet-stream")
    .send(Buffer.alloc(1_100_000));
  expect(answer.body).toEqual({
    error: "Payload Too Large",
    message: "the body is larger than 1 MB",
    statusCode: 413,
  });
});

test("a compressed piece is refused with what to send instead", async () => {
  const answer = await request(site.app)
    .post("/site/restore/pieces?from=0")
    .set("Authorization", `Bearer ${await site.token("administrator")}`)
    .set("Content-Type", "application/octet-stream")
    .set("Content-Encoding", "gzip")
    .send(Buffer.alloc(100));
  expect(answer.body).toEqual({
    error: "Unsupported Media Type",
    message: "send the bytes as they are, without Content-Encoding",
    statusCode: 415,
  });
});
