import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { santinela, type Outcome } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* Output of `check-config` for `mqtt.accounts`. */

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder, "pw"), "long enough\n", { mode: 0o600 });
  writeFileSync(join(folder, "short"), "sevench\n", { mode: 0o600 });
  writeFileSync(join(folder, "eight"), "săptămân\n", { mode: 0o600 });
  writeFileSync(join(folder, "empty"), "\n", { mode: 0o600 });
  mkdirSync(join(folder, "drawer"));
});

function check(yaml: string): Promise<Outcome> {
  writeFileSync(join(folder, "site.yaml"), yaml);
  return santinela(["check-config", "--config", "site.yaml"], { cwd: folder });
}

const accounts = (...lines: string[]): string =>
  `mqtt:\n  accounts:\n${lines.map((line) => `    - ${line}\n`).join("")}`;
const GATES = "{ username: gates, passwordFile: ./pw }";
const DOOR =
  "zones:\n  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { mqtt: zigbee2mqtt/door, open: [ON], normal: [OFF] } }\n";

describe("an error in mqtt.accounts is reported with its line, its column and the remedy", () => {
  test.each<[what: string, yaml: string, message: RegExp]>([
    [
      "two accounts with one name",
      accounts(GATES, "{ username: gates, passwordFile: ./pw }"),
      /site\.yaml:4:9: mqtt\.accounts\[1\]\.username: duplicate account "gates"\. Use a different name for each$/,
    ],
    [
      "an account with the name of mqtt.username",
      `mqtt:\n  username: gates\n  passwordFile: ./pw\n  accounts:\n    - ${GATES}\n`,
      /site\.yaml:5:9: mqtt\.accounts\[0\]\.username: duplicate account "gates"\. Use a different name for each/,
    ],
    [
      "an account without a name",
      accounts("{ passwordFile: ./pw }"),
      /site\.yaml:3:7: mqtt\.accounts\[0\]: username is missing/,
    ],
    [
      "an empty name",
      accounts('{ username: "", passwordFile: ./pw }'),
      /site\.yaml:3:9: mqtt\.accounts\[0\]\.username: must not be empty$/,
    ],
    [
      "a name with a control character, which no client can sign in with",
      accounts('{ username: "gates\\n", passwordFile: ./pw }'),
      /site\.yaml:3:9: mqtt\.accounts\[0\]\.username: "gates\\n" does not match the expected format.*without control characters/,
    ],
    [
      "a name that is a number",
      accounts("{ username: 4711, passwordFile: ./pw }"),
      /site\.yaml:3:9: mqtt\.accounts\[0\]\.username: must be text, not (4711|7)\. Write it in quotes: "(4711|7)"$/,
    ],
    [
      "no password file",
      accounts("{ username: gates }"),
      /site\.yaml:3:7: mqtt\.accounts\[0\]: passwordFile is missing/,
    ],
    [
      "the password itself",
      accounts("{ username: gates, passwordFile: ./pw, password: secret }"),
      /site\.yaml:3:46: mqtt\.accounts\[0\]\.password: unknown option\. Did you mean passwordFile\?/,
    ],
    [
      "a missing password file",
      accounts("{ username: gates, passwordFile: ./nope }"),
      /site\.yaml:3:26: mqtt\.accounts\[0\]\.passwordFile: password file .*\/nope does not exist\. Create it with mode 0600$/,
    ],
    [
      "a directory in place of a password file",
      accounts("{ username: gates, passwordFile: ./drawer }"),
      /site\.yaml:3:26: mqtt\.accounts\[0\]\.passwordFile: cannot read the password file .*\/drawer: EISDIR.*\. Use a file that this user can read$/,
    ],
    [
      "an empty password file",
      accounts("{ username: gates, passwordFile: ./empty }"),
      /site\.yaml:3:26: mqtt\.accounts\[0\]\.passwordFile: .*\/empty is empty\. Write the password to it$/,
    ],
    [
      "an unknown permission",
      accounts("{ username: gates, passwordFile: ./pw, publsh: [a/b] }"),
      /site\.yaml:3:46: mqtt\.accounts\[0\]\.publsh: unknown option\. Did you mean publish\?$/,
    ],
    [
      "an unknown permission without a similar one",
      accounts("{ username: gates, passwordFile: ./pw, rights: all }"),
      /site\.yaml:3:46: mqtt\.accounts\[0\]\.rights: unknown option\. Known here: username, passwordFile, publish, subscribe$/,
    ],
    [
      "a topic in place of a list",
      accounts("{ username: gates, passwordFile: ./pw, publish: zigbee2mqtt/# }"),
      /site\.yaml:3:46: mqtt\.accounts\[0\]\.publish: must be a list, not "zigbee2mqtt\/#"\. Write it in brackets: \["zigbee2mqtt\/#"\]$/,
    ],
    [
      "a permission without a value, which is not the same as all topics",
      "mqtt:\n  accounts:\n    - username: gates\n      passwordFile: ./pw\n      publish:\n",
      /site\.yaml:5:7: mqtt\.accounts\[0\]\.publish: must be a list, not null\. Set a value, \[\] for none, or remove the option$/,
    ],
    [
      "a filter that is a number",
      accounts("{ username: gates, passwordFile: ./pw, publish: [7] }"),
      /site\.yaml:3:56: mqtt\.accounts\[0\]\.publish\[0\]: must be text, not (4711|7)\. Write it in quotes: "(4711|7)"$/,
    ],
    [
      "an empty filter",
      accounts("{ username: gates, passwordFile: ./pw, subscribe: [''] }"),
      /site\.yaml:3:58: mqtt\.accounts\[0\]\.subscribe\[0\]: must not be empty$/,
    ],
    [
      "a # within a level",
      accounts("{ username: gates, passwordFile: ./pw, publish: [a/b, zigbee2mqtt/gate#] }"),
      /site\.yaml:3:61: mqtt\.accounts\[0\]\.publish\[1\]: "zigbee2mqtt\/gate#": \+ and # must be whole levels, such as zigbee2mqtt\/\+\/availability$/,
    ],
    [
      "a # before the end",
      accounts("{ username: gates, passwordFile: ./pw, subscribe: [a/#/b] }"),
      /site\.yaml:3:58: mqtt\.accounts\[0\]\.subscribe\[0\]: "a\/#\/b": # must be the last level$/,
    ],
    [
      "a list that is a single account",
      `mqtt:\n  accounts: ${GATES}\n`,
      /site\.yaml:2:3: mqtt\.accounts: must be a list/,
    ],
    [
      "an empty list for a broker beyond loopback",
      "mqtt:\n  accounts: []\n  listen: { host: 0.0.0.0 }\n",
      /site\.yaml:3:13: mqtt\.listen\.host: beyond loopback \(0\.0\.0\.0\) the built-in broker needs username and passwordFile, or accounts$/,
    ],
    [
      "accounts beside an external broker",
      `mqtt:\n  url: mqtt://broker.lan\n  accounts:\n    - ${GATES}\n`,
      /site\.yaml:3:3: mqtt\.accounts: an external broker manages its own accounts\. Remove accounts or url$/,
    ],
    [
      "a zone whose topic no account may publish",
      `${accounts("{ username: gates, passwordFile: ./pw, publish: [gates/#, zigbee2mqtt/yard/+] }")}${DOOR}`,
      /site\.yaml:5:\d+: zones\[0\]\.input\.mqtt: no account at the built-in broker may publish zigbee2mqtt\/door\. Add it to publish of an account in mqtt\.accounts$/,
    ],
  ])("%s", async (_what, yaml, message) => {
    const { code, stderr } = await check(yaml);
    const lines = stderr.split("\n").filter((line) => line.includes("site.yaml:"));
    expect({ code, lines }).toEqual({ code: 78, lines: [expect.stringMatching(message)] });
  });
});

describe("a valid mqtt.accounts", () => {
  test("accepts a password file that others can read, with a warning that names the command", async () => {
    chmodSync(join(folder, "pw"), 0o644);
    const { code, stderr } = await check(accounts(GATES));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: .*\/pw is readable by other users; run chmod 600 .*\/pw$/m);
  });

  test.each([
    [
      "an account",
      accounts("{ username: gates, passwordFile: ./short }"),
      'mqtt.accounts: the password of "gates"',
    ],
    [
      "the one of all sensors",
      "mqtt: { username: all, passwordFile: ./short }\n",
      'mqtt.passwordFile: the password of "all"',
    ],
  ])("warns of a password of seven characters for %s, and starts with it", async (_whose, yaml, which) => {
    const { code, stderr } = await check(yaml);
    expect(code).toBe(0);
    expect(stderr.split("\n").filter((line) => line.includes("password"))).toEqual([
      `warning: ${which} is shorter than 8 characters. Create one with openssl rand -hex 16`,
    ]);
  });

  test.each([
    ["has eight characters", accounts("{ username: gates, passwordFile: ./eight }")],
    ["is that of another broker", "mqtt: { url: mqtt://localhost, username: all, passwordFile: ./short }\n"],
  ])("accepts a password that %s without a warning", async (_why, yaml) => {
    expect(await check(yaml)).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("password") as string,
    });
  });

  test("warns of an account that may neither publish nor subscribe", async () => {
    const { code, stderr } = await check(
      accounts("{ username: gates, passwordFile: ./pw, publish: [], subscribe: [] }"),
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning: mqtt\.accounts: "gates" may neither publish nor subscribe\. Add topics or remove the account$/m,
    );
  });

  test.each([
    ["without limits", GATES],
    ["for its topic", "{ username: gates, passwordFile: ./pw, publish: [zigbee2mqtt/door], subscribe: [] }"],
    ["for a filter around it", "{ username: gates, passwordFile: ./pw, publish: [zigbee2mqtt/#] }"],
  ])("accepts a zone whose sensor has an account %s", async (_what, account) => {
    expect(await check(`${accounts(account)}${DOOR}`)).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("mqtt") as string,
    });
  });

  test("accepts a zone where one password is valid for all topics beside the accounts", async () => {
    const narrow = "{ username: gates, passwordFile: ./pw, publish: [gates/#] }";
    const yaml = `mqtt:\n  username: all\n  passwordFile: ./pw\n  accounts:\n    - ${narrow}\n${DOOR}`;
    expect(await check(yaml)).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("mqtt") as string,
    });
  });
});
