import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* The script of the package before it is unpacked, with other folders; test/systemd installs the package. */

const SCRIPT = readFileSync(new URL("../../scripts/packaging/deb/preinst", import.meta.url), "utf8");
const OVERRIDE = "etc/santinela.service.d/override.conf";
const OLD_PATH =
  "[Service]\nExecStart=\nExecStart=nice -n -5 /usr/lib/santinela/node/bin/node --no-warnings /usr/lib/santinela/dist/main.js serve\n";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  // As 0.1.0 has them: its files without a folder of their own.
  for (const path of ["bin/a", "dist/main.js", "node/a", "node_modules/a", "package.json"])
    put(`home/${path}`, "");
});

function put(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function upgrade(): { status: number | null; stderr: string } {
  const script = SCRIPT.replace("home=/usr/lib/santinela\n", `home=${folder}/home\n`).replaceAll(
    "/etc/systemd/system",
    `${folder}/etc`,
  );
  return spawnSync("sh", ["-c", script, "preinst", "upgrade", "0.1.0"], { encoding: "utf8" });
}

test("an upgrade from 0.1.0 stops at an override of a unit with the old path of the program, and names the file", () => {
  put(OVERRIDE, OLD_PATH);
  put("etc/santinela.service.d/limits.conf", "[Service]\nMemoryMax=300M\n");
  const { status, stderr } = upgrade();
  expect(status).toBe(1);
  expect(stderr).toContain(join(folder, OVERRIDE));
  expect(stderr).not.toContain("limits.conf");
  expect(existsSync(join(folder, "home/releases"))).toBe(false);
});

test("an upgrade from 0.1.0 stops at such an override in lines that continue", () => {
  const [first = "", last = ""] = OLD_PATH.split("/usr/lib/santinela/node");
  put(OVERRIDE, `${first}\\\n  # of the office\n  -n -1 \\\n  /usr/lib/santinela/node${last}`);
  const { status, stderr } = upgrade();
  expect([status, stderr]).toEqual([1, expect.stringContaining(join(folder, OVERRIDE))]);
});

test("an upgrade from 0.1.0 goes on with overrides that do not name the program, or name its new path", () => {
  for (const text of [
    undefined,
    "[Service]\nMemoryMax=300M\n",
    "[Service]\n# ExecStart=/usr/lib/santinela/node/bin/node\n",
    "[Service]\nExecStartPre=true\n/usr/lib/santinela/node/bin/node\n# ExecStart=\\\nNice=5\n",
    OLD_PATH.replaceAll("/santinela/", "/santinela/current/"),
  ]) {
    if (text !== undefined) put(OVERRIDE, text);
    rmSync(join(folder, "home/current"), { force: true });
    expect([text, upgrade()]).toEqual([text, expect.objectContaining({ status: 0, stderr: "" })]);
    expect(existsSync(join(folder, "home/current/dist/main.js"))).toBe(true);
  }
});
