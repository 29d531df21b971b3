import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import { changesOf } from "../../src/config/reload.ts";
import type { AppError } from "../../src/domain/errors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "santinela.yaml");
});

const load = (yaml: string): Config => {
  writeFileSync(file, yaml);
  return loadConfiguration({ file, env: {}, cwd: folder });
};
const key = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
const account = (options: string): string =>
  `dc09: { accounts: [ { account: "12ab", objective: { type: obiective/cladiri, id: 1 }, ${options} } ] }\n`;
const PLAIN = "plain: true, from: [192.0.2.7]";

describe("the receiver for alarm panels", () => {
  test("is off by default, and has its defaults otherwise", () => {
    expect(load("{}").dc09).toBeNull();
    expect(load(account(PLAIN)).dc09).toMatchObject({
      host: "127.0.0.1",
      port: 12_128,
      transports: ["tcp", "udp"],
      accounts: [
        {
          account: "12AB",
          key: null,
          isPlain: true,
          from: ["192.0.2.7"],
          zones: "auto",
          silenceS: null,
          timestamps: "checked",
        },
      ],
    });
  });

  test.each([
    ["32 hexadecimal digits", "3a1f6b8c9d4e7f20123456789abcdef0\n", "3A1F6B8C9D4E7F20123456789ABCDEF0"],
    [
      "48 in groups",
      "3A1F6B8C 9D4E7F20 12345678 9ABCDEF0 3A1F6B8C 9D4E7F20",
      "3A1F6B8C9D4E7F20123456789ABCDEF03A1F6B8C9D4E7F20",
    ],
    ["64", "ab".repeat(32), "AB".repeat(32)],
    ["16 characters", "SecretOfThePanel", "5365637265744F6654686550616E656C"],
    ["16 digits, which are characters", "1234567890123456", "31323334353637383930313233343536"],
    ["24 characters", "x".repeat(24), "78".repeat(24)],
    ["32 characters that are no hexadecimal digits", "z".repeat(32), "7A".repeat(32)],
  ])("takes a key of %s", (_name, text, digits) => {
    key("panel.key", text);
    expect(load(account("keyFile: panel.key")).dc09?.accounts[0]?.key).toBe(digits);
  });

  test("needs a restart for a change", () => {
    expect(changesOf(load("{}"), load(account(PLAIN))).needsRestart).toEqual(["dc09"]);
  });
});

describe("an error of the section is reported with its line, its column and the remedy", () => {
  test.each([
    [
      "an account without a key",
      account(""),
      /accounts\[0\]: account 12ab has no keyFile\. Add it, or plain: true and from/,
    ],
    ["plain messages from anywhere", account("plain: true"), /accounts\[0\]\.plain: plain: true needs from/],
    [
      "an address that is none",
      account("plain: true, from: [1.2.3]"),
      /from\[0\]: 1\.2\.3 is not an address/,
    ],
    [
      "a network that is none",
      account("plain: true, from: [192.0.2.0/33]"),
      /from\[0\]: 192\.0\.2\.0\/33 is not an address/,
    ],
    [
      "a key of another length",
      account("keyFile: short.key"),
      /short\.key is not a key\. Use 32, 48 or 64 hexadecimal digits/,
    ],
    [
      "a key file that is missing",
      account("keyFile: missing.key"),
      /: key file \S*missing\.key does not exist/,
    ],
    [
      "a number as account",
      account(PLAIN).replace('"12ab"', "1234"),
      /must be text, not 1234\. Write it in quotes: "1234"$/,
    ],
    [
      "a number with a zero at its beginning as account",
      account(PLAIN).replace('"12ab"', "0567"),
      /must be text, not 0567\. Write it in quotes: "0567"$/,
    ],
    [
      "an account that YAML takes for another number",
      account(PLAIN).replace('"12ab"', "12E5"),
      /must be text, not 12E5\. Write it in quotes: "12E5"$/,
    ],
    [
      "an account by an alias, whose text is not at hand",
      `fleet: { silentS: &n 0600 }\n${account(PLAIN).replace('"12ab"', "*n")}`,
      /must be text, not 600\. Write it in quotes, with all its leading zeros$/,
    ],
    [
      "an account twice",
      account(PLAIN).replace(
        "[ {",
        `[ { account: 12AB, objective: { type: obiective/cladiri, id: 1 }, ${PLAIN} }, {`,
      ),
      /accounts\[1\]\.account: duplicate account 12ab/,
    ],
    [
      "a zone of an unknown account",
      zoneYaml('{ dc09: "77FF", zone: 1 }'),
      /input\.dc09: account 77FF is not in dc09\.accounts/,
    ],
    [
      "a zone without a number",
      account(PLAIN) + zoneYaml('{ dc09: "12AB" }'),
      /zones\[0\]\.input: zone is missing/,
    ],
    [
      "a debounced zone",
      account(PLAIN) + zoneYaml('{ dc09: "12AB", zone: 1 }', "debounceMs: 50, "),
      /:2:\d+: zones\[0\]\.debounceMs: an alarm panel filters its own contacts, .* Remove debounceMs/,
    ],
    [
      "a zone with a confirmation time",
      account(PLAIN) + zoneYaml('{ dc09: "12AB", zone: 1 }', "confirmMs: 50, "),
      /zones\[0\]\.confirmMs: .* Remove confirmMs/,
    ],
    [
      "a zone with a minimum open time",
      account(PLAIN) + zoneYaml('{ dc09: "12AB", zone: 1 }', "minOpenMs: 50, "),
      /zones\[0\]\.minOpenMs: .* Remove minOpenMs/,
    ],
    [
      "a gate of an unknown account",
      zoneYaml("{ simulated: true }", 'gate: { dc09: "77FF" }, '),
      /gate\.dc09: account 77FF is not in dc09\.accounts/,
    ],
  ])("%s", (_name, yaml, message) => {
    key("short.key", "1234");
    try {
      load(yaml);
    } catch (error) {
      expect((error as AppError).code).toBe("configuration");
      expect((error as AppError).message).toMatch(message);
      return;
    }
    expect.fail("the configuration was accepted");
  });
});

function zoneYaml(input: string, more = ""): string {
  return `zones: [ { id: a, name: A, kind: intrusion, ${more}objective: { type: obiective/cladiri, id: 1 }, input: ${input} } ]\n`;
}
