import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

executable("current/node/bin/node", "echo root");
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
