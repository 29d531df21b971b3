import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* /usr/bin/santinela of the package, for root, with stand-ins for the program and for setpriv, which changes the user. */

const folder = temporaryFolder(afterAll);

function executable(path: string, script: string): void {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

executable("releases/0.1.0.1/node/bin/node", "echo root");
symlinkSync("releases/0.1.0.1", join(folder, "current"));
executable("bin/setpriv", 'echo "santinela $3"');
executable("bin/id", 'test "$1" = -u && echo 0 || echo 990 991');
executable("bin/getent", "echo systemd-journal:x:999:ana");
const wrapper = readFileSync(new URL("../../systemd/santinela", import.meta.url), "utf8");
executable("santinela", wrapper.replace("home=/usr/lib/santinela/current", `home=${folder}/current`));

const userOf = (...words: string[]): string =>
  execFileSync(join(folder, "santinela"), words, {
    encoding: "utf8",
    env: { PATH: `${folder}/bin:${process.env["PATH"] ?? ""}` },
  }).trim();

test("root writes beside the configuration as root, also with an option before the command", () => {
  expect(userOf("init", "--no-input")).toBe("root");
  expect(userOf("--no-input", "init")).toBe("root");
  expect(userOf("--no-input", "enrol", "code")).toBe("root");
});

test("all other commands of root run as the user of the daemon", () => {
  for (const words of [
    [],
    ["--version"],
    ["status", "init"],
    ["--no-input", "status"],
    ["backup", "--out", "enrol"],
  ])
    expect(userOf(...words), words.join(" ")).toBe("santinela --init-groups");
});

test("only a support bundle is created with the right to read the log", () => {
  expect(userOf("support-bundle")).toBe("santinela --groups=990,991,999");
  expect(userOf("--no-input", "support-bundle", "--out", "/tmp/a")).toBe("santinela --groups=990,991,999");
  executable("bin/getent", "exit 2");
  expect(userOf("support-bundle")).toBe("santinela --groups=990,991");
});

test("a return to 0.1.0 is named with each command, on standard error, until another release is installed", () => {
  const stderrOf = (): string =>
    spawnSync(join(folder, "santinela"), ["status"], {
      encoding: "utf8",
      env: { PATH: `${folder}/bin:${process.env["PATH"] ?? ""}` },
    }).stderr;
  const note = join(folder, "returned");
  expect(stderrOf()).toBe("");
  writeFileSync(note, "0.2.0\n");
  expect(stderrOf()).toMatch(/^santinela: release 0\.2\.0 did not stay up, so 0\.1\.0 runs again; .*\n$/);
  expect(userOf("init")).toBe("root");
  // A dispatch centre that could not return runs in the release of the note.
  writeFileSync(note, "0.1.0\n");
  expect(stderrOf()).toBe("");
  rmSync(note);
});
