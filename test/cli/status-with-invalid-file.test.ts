import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { santinela } from "../support/command-line.ts";
import { Installation } from "../support/installation.ts";

let installation: Installation;
let file: string;
let dataDir: string;
beforeEach(async () => {
  installation = Installation.temporary();
  const site = installation.daemon("site", "http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n");
  file = join(installation.folder, "site.yaml");
  dataDir = join(installation.folder, "site");
  await site.start();
});

const santinelaStatus = (...more: string[]) =>
  santinela(["status", "--config", file, ...more], { cwd: installation.folder });

/** Adds an error to the file of the running daemon, whose last good configuration the user may not read. */
function mistype(): void {
  writeFileSync(file, readFileSync(file, "utf8").replace("mqtt:", "mqqt:"));
  rmSync(join(dataDir, "last-good.yaml"));
}

test("with an invalid file the state of the running daemon is shown first, then the errors with their remedy", async () => {
  mistype();
  const { code, stdout, stderr } = await santinelaStatus();
  expect(stdout).toMatch(/^Site: .*no zones yet\n/);
  expect(stderr).toMatch(/the daemon above runs with an earlier one/);
  expect(stderr).toMatch(/site\.yaml:3:1: mqqt: .*Did you mean mqtt\?\n.*run santinela check-config/);
  expect(code).toBe(0);
});

test("a script reads the state as JSON whether or not the file is valid", async () => {
  const { stdout } = await santinelaStatus("--json");
  mistype();
  const after = await santinelaStatus("--json");
  expect(after.code).toBe(0);
  expect(JSON.parse(after.stdout)).toMatchObject({
    site: (JSON.parse(stdout) as { site: object }).site,
    role: "site",
  });
});

test("the errors also follow the state when the last good configuration can be read", async () => {
  writeFileSync(file, readFileSync(file, "utf8").replace("mqtt:", "mqqt:"));
  const { code, stdout, stderr } = await santinelaStatus();
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Site: .*no zones yet\n/)]);
  expect(stderr).toMatch(/site\.yaml:3:1: mqqt: .*\n.*santinela reload/);
});

test("an invalid file without a running daemon is the error of the command", async () => {
  await installation.remove();
  mkdirSync(installation.folder);
  writeFileSync(file, "mqqt: off\n");
  expect(await santinelaStatus()).toMatchObject({
    code: 78,
    stdout: "",
    stderr: expect.stringMatching(/site\.yaml:1:1: mqqt: /) as string,
  });
});
