import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { santinela, type Outcome } from "../support/command-line.ts";
import { Installation } from "../support/installation.ts";

/* A daemon whose configuration file has been changed since its start. */

let installation: Installation;
let file: string;
beforeEach(async () => {
  installation = Installation.temporary();
  // Where a daemon without dataDir has its data, as one of the package in /var/lib/santinela.
  const site = installation.daemon("var", "http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n");
  file = join(installation.folder, "var.yaml");
  await site.start();
});

const run = (line: string): Promise<Outcome> =>
  santinela([...line.split(" "), "--config", file], { cwd: installation.folder });

function edit(from: string, to: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
}

test("a reload of an invalid file says what is wrong, once, and not that something else is used", async () => {
  edit("mqtt:", "mqqt:");
  const { code, stdout, stderr } = await run("reload");
  expect([code, stdout]).toEqual([78, ""]);
  expect(stderr.match(/mqqt: unknown option/g)).toHaveLength(1);
  expect(stderr).not.toContain("last good");
});

test("with another dataDir in the file the running daemon is still reached", async () => {
  edit("dataDir: ./var", "dataDir: ./elsewhere");
  expect(await run("status")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Site: /) as string });
  expect(await run("reload")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^options that need a restart: .*dataDir/m) as string,
  });
  expect(await run("zones list")).toMatchObject({
    code: 69,
    stderr: expect.stringMatching(
      /\nThe daemon of .*var\.yaml runs with its data in .*\/var: dataDir has been changed since its start, and a restart applies that\.\n$/,
    ) as string,
  });
});
