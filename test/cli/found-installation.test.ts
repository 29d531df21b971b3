import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { santinela, type Outcome } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { withoutAccess } from "../support/without-access.ts";

/* Which installation a command answers for, and that it reports it if it is none. */

let cwd: string;
let home: string;
beforeEach(() => {
  cwd = temporaryFolder();
  home = join(temporaryFolder(), "home");
  mkdirSync(home);
});

const run = (line: string, input = ""): Promise<Outcome> =>
  santinela(line.split(" "), { cwd, input, env: { XDG_CONFIG_HOME: home } });

const OF_EVERY_KIND = [
  "status",
  "reload",
  "doctor --listen 0",
  "config show",
  "zones list",
  "support-bundle",
  "user add --email ana@example.ro --role administrator --password-stdin",
  "check-config",
];

describe("a user who may not see the configuration", () => {
  test.each(OF_EVERY_KIND)("gets no answer of another installation: %s", async (line) => {
    mkdirSync(join(home, "santinela"));
    writeFileSync(join(home, "santinela", "santinela.yaml"), "mqtt: off\n");
    // As its owner first: the modules of the command are loaded then.
    const own = await run(line, "correct horse battery\n");
    expect(own.stderr).not.toMatch(/permission denied|embedded/);
    const other = await withoutAccess(home, () => run(line, "correct horse battery\n"));
    expect(other).toMatchObject({
      code: 77,
      stdout: "",
      stderr: expect.stringMatching(
        /^permission denied for .*santinela\.yaml\nCheck the permissions of its folder/,
      ) as string,
    });
    expect(existsSync(join(cwd, "var"))).toBe(false);
  });
});

describe("without a configuration file", () => {
  test.each(OF_EVERY_KIND.slice(0, -1))("the command says what it answers for: %s", async (line) => {
    const { stderr } = await run(line, "correct horse battery\n");
    expect(stderr).toContain(
      `no configuration file found: using the embedded demo configuration, with data in ${join(cwd, "var")}\n`,
    );
  });

  test("an account for the first try is added to its data", async () => {
    const { code, stdout } = await run(OF_EVERY_KIND[6] ?? "", "correct horse battery\n");
    expect([code, stdout]).toEqual([0, "added ana@example.ro as administrator\n"]);
    expect(existsSync(join(cwd, "var", "santinela.db"))).toBe(true);
  });

  test.each(["check-config", "check-config --json", "check-config --centre"])(
    "there is nothing to check: %s",
    async (line) => {
      expect(await run(line)).toMatchObject({
        code: 66,
        stdout: "",
        stderr: expect.stringMatching(
          /^no configuration file found.*\nCreate one with santinela init/,
        ) as string,
      });
    },
  );
});
