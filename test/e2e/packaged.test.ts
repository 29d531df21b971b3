import { execFile } from "node:child_process";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { VERSION } from "../../src/generated/version.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, MAIN } from "../support/installation.ts";

/*
 * An installed program is a copy of dist/ with the add-ons next to it and, until the installation has made them, without
 * code caches. Parts that load lazily or read files next to them must work there too.
 */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

const installation = Installation.temporary(afterAll);
const dataDir = join(installation.folder, "site");
const configFile = join(installation.folder, "site.yaml");
const main = join(installation.folder, "program", "dist", "main.js");
let site: DaemonProcess;
let ports: { httpPort: number; mqttPort: number | undefined };

beforeAll(async () => {
  const isNoCache = (path: string): boolean => !path.endsWith(".cache");
  cpSync(dirname(MAIN), dirname(main), { recursive: true, filter: isNoCache });
  // The add-ons are next to it.
  symlinkSync(join(ROOT, "node_modules"), join(installation.folder, "program", "node_modules"));
  writeFileSync(
    configFile,
    `dataDir: ./site
http: { port: 0 }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 1, name: Hall }] }
zones:
  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { mqtt: door, path: /contact, open: [false], normal: [true] } }
`,
  );
  site = new DaemonProcess({ main, configFile, dataDir });
  ports = await site.start();
});
afterAll(() => site.end("SIGKILL"));

function ask(method: string, path: string, body?: Buffer, type = "application/json"): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const clientRequest = request({
      socketPath: join(dataDir, "control.sock"),
      method,
      path,
      agent: false,
      headers: { "Content-Type": type },
    });
    clientRequest.on("error", reject);
    clientRequest.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      response.on("end", () => resolve(Buffer.concat(chunks)));
    });
    clientRequest.end(body);
  });
}

test("an installed program prints its version", async () => {
  expect((await run(process.execPath, [main, "version"])).stdout.trim()).toBe(VERSION);
});

test("an installed program reads a sensor from the built-in broker", async () => {
  const sensor = await connectAsync(`mqtt://127.0.0.1:${ports.mqttPort}`);
  for (const contact of [true, false])
    await sensor.publishAsync("door", JSON.stringify({ contact }), { qos: 1 });
  await eventually("the intervention", async () => {
    const records = await site.get<Intervention[]>("/interventii");
    return records.length === 1 && records[0]?.objectiveId === 1;
  });
  await sensor.endAsync();
});

test("an installed program serves its web panel", async () => {
  const page = await (await fetch(`http://127.0.0.1:${ports.httpPort}/`)).text();
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? "no script";
  expect((await fetch(new URL(script, `http://127.0.0.1:${ports.httpPort}/`))).status).toBe(200);
});

test("an installed program exports a backup, and checks an uploaded one", async () => {
  const copy = await ask("GET", "/site/backup");
  expect(copy.subarray(0, 15).toString()).toBe("SQLite format 3");
  const pieces = await ask("POST", "/site/restore/pieces?from=0", copy, "application/octet-stream");
  const { copy: number } = JSON.parse(pieces.toString()) as { copy: number };
  const order = Buffer.from(JSON.stringify({ copy: number, dryRun: true }));
  const plan = JSON.parse((await ask("POST", "/site/restore", order)).toString()) as object;
  expect(plan).toEqual({ recordsInBackup: 1, onlyInCurrent: [], onlyInBackup: [] });
});

test("an installed program rejects common passwords", async () => {
  const words = [
    "user",
    "passwd",
    "--email",
    "admin@santinela.local",
    "--password-stdin",
    "--config",
    configFile,
  ];
  const setting = run(process.execPath, [main, ...words]);
  setting.child.stdin?.end("password1234");
  await expect(setting).rejects.toMatchObject({
    stderr: expect.stringContaining("too common") as string,
  });
});
