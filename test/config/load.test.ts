import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { directoryWarnings } from "../../src/config/data-directories.ts";
import { loadConfiguration, readConfiguration } from "../../src/config/load.ts";
import { isCredentialOfService } from "../../src/config/service-credentials.ts";
import { AppError, messageOf } from "../../src/domain/errors.ts";
import { temporaryCertificate } from "../../src/ops/certificates.ts";
import { translateToRomanian } from "../../src/panel/messages/ro-more.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { UNUSABLE_ALIASES } from "../support/unusable-aliases.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "santinela.yaml");
  writeFileSync(join(folder, "pw"), "secret\n", { mode: 0o600 });
});

const load = (yaml: string, env: Record<string, string> = {}): Config => {
  writeFileSync(file, yaml);
  return loadConfiguration({ file, env, cwd: folder });
};
const refusal = (yaml: string, env: Record<string, string> = {}): string => {
  try {
    load(yaml, env);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).toBe("configuration");
    return (error as AppError).message.replaceAll(`${file}:`, "");
  }
  return expect.fail("the configuration was accepted");
};

const ZONE = "id: a, name: A, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }";

describe("an error is reported with its line, its column and the remedy", () => {
  const mistakes: readonly [what: string, yaml: string, message: RegExp][] = [
    ["an unknown section", "htpp:\n  port: 1\n", /^1:1: htpp: unknown option\. Did you mean http\?$/],
    [
      "an unknown option",
      "http:\n  host: 127.0.0.1\n  prot: 1\n",
      /^3:3: http\.prot: unknown option\. Did you mean port\?$/,
    ],
    [
      "an option that is like none",
      "site: { colour: red }\n",
      /^1:9: site\.colour: unknown option\. Known here: name, ref, /,
    ],
    [
      "a zone's name with a control character",
      'zones:\n  - { id: a, name: "A\\a", kind: fire, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n',
      /^2:14: zones\[0\]\.name: "A\\u0007" does not match the expected format\. .*control characters\.$/,
    ],
    [
      "brackets without end",
      `site:\n  name: ${"[".repeat(100_000)}`,
      /^2:\d+: nested deeper than 64 levels; no option needs that$/,
    ],
    ["dashes without end", `zones:\n  ${"- ".repeat(100_000)}x\n`, /^2:\d+: nested deeper than 64/],
    [
      "a site's name with a NUL",
      'site: { name: "A\\0B" }\n',
      /^1:9: site\.name: "A\\u0000B" does not match the expected format\./,
    ],
    [
      "an account at the centre with a NUL",
      'upstream: { baseUrl: "http://127.0.0.1", email: "a\\0@b" }\n',
      /^1:42: upstream\.email: "a\\u0000@b" does not match the expected format\./,
    ],
    [
      "text for a number",
      "http:\n  port: eighty\n",
      /^2:3: http\.port: must be a whole number, not "eighty"$/,
    ],
    [
      "a port that is none",
      "http: { port: 70000 }\n",
      /^1:9: http\.port: 70000 is out of range; allowed: 0 to 65535$/,
    ],
    [
      "a password in the centre's address",
      "upstream: { baseUrl: 'https://edge:hunter2@centre.example', email: a@b.c, passwordFile: pw }\n",
      /^1:13: upstream\.baseUrl: a URL must not contain a user name or password\. Use upstream\.email and upstream\.passwordFile$/,
    ],
    [
      "a password in the broker's address",
      "mqtt: { url: 'mqtt://edge:hunter2@127.0.0.1' }\n",
      /^1:9: mqtt\.url: a URL must not contain a user name or password\. Use mqtt\.username and mqtt\.passwordFile$/,
    ],
    [
      "an address that is none",
      "upstream: { baseUrl: 'https://[', email: a@b.c, passwordFile: pw }\n",
      /^1:13: upstream\.baseUrl: is not a URL/,
    ],
    [
      "a language that is not spoken",
      "site: { locale: de }\n",
      /^1:9: site\.locale: must be one of ro, en, not "de"$/,
    ],
    [
      "a time zone that is none",
      "site:\n  timezone: Europe/Bukarest\n",
      /^2:3: site\.timezone: "Europe\/Bukarest" is not an IANA time zone\. Did you mean Europe\/Bucharest\?$/,
    ],
    [
      "a time zone without its continent",
      "site: { timezone: bucharest }\n",
      /^1:9: site\.timezone: "bucharest" is not an IANA time zone\. Did you mean Europe\/Bucharest\?$/,
    ],
    [
      "a time zone that is like no other",
      "site: { timezone: local time }\n",
      /^1:9: site\.timezone: "local time" is not an IANA time zone\. Use a name such as Europe\/Bucharest$/,
    ],
    [
      "an address beyond loopback without a TLS option",
      "http: { host: 0.0.0.0 }\n",
      /^1:9: http\.host: 0\.0\.0\.0 is beyond loopback, so http\.tls is required\. Use tls: own/,
    ],
    [
      "fewer connections than a few browsers need",
      "http: { connectionsMax: 15 }\n",
      /^1:9: http\.connectionsMax: 15 is out of range; allowed: 16 to 20000$/,
    ],
    [
      "more connections than a machine of this kind serves",
      "http: { connectionsMax: 20001 }\n",
      /^1:9: http\.connectionsMax: 20001 is out of range; allowed: 16 to 20000$/,
    ],
    [
      "half a connection",
      "http: { connectionsPerAddressMax: 8.5 }\n",
      /^1:9: http\.connectionsPerAddressMax: must be a whole number, not 8\.5$/,
    ],
    [
      "fewer connections of one address than a browser opens",
      "http: { connectionsPerAddressMax: 7 }\n",
      /^1:9: http\.connectionsPerAddressMax: 7 is out of range; allowed: 8 to 20000$/,
    ],
    [
      "more connections of one address than altogether",
      "http:\n  connectionsMax: 100\n  connectionsPerAddressMax: 101\n",
      /^3:3: http\.connectionsPerAddressMax: 101 connections per address exceed http\.connectionsMax \(100\)\. Lower/,
    ],
    [
      "more connections of one address than altogether by default",
      "http: { connectionsPerAddressMax: 300 }\n",
      /^1:9: http\.connectionsPerAddressMax: 300 connections per address exceed http\.connectionsMax \(256\)/,
    ],
    ["half a certificate", "http: { tls: { certFile: a.pem } }\n", /http\.tls: /],
    ["a list for a section", "http: [1]\n", /^1:1: http: must be a section/],
    ["a zone without an input", `zones:\n  - { ${ZONE} }\n`, /^2:5: zones\[0\]: input is missing$/],
    ...(
      [
        ["is not there", "[b]", "unknown zone b\\. Known: a, c"],
        ["is the zone itself", "[a]", "a zone cannot confirm itself"],
        ["is at another objective", "[c]", "zone c is at another objective \\(obiective\\/cladiri 13\\)"],
      ] as const
    ).map(([what, zones, message]): [string, string, RegExp] => [
      `a confirming zone that ${what}`,
      `zones:\n  - { id: a, name: A, kind: motion, objective: { type: obiective/cladiri, id: 12 }, input: { gpio: 1 }, confirmWith: { zones: ${zones} } }\n  - { id: c, name: C, kind: motion, objective: { type: obiective/cladiri, id: 13 }, input: { gpio: 2 } }\n`,
      new RegExp(`^2:\\d+: zones\\[0\\]\\.confirmWith\\.zones\\[0\\]: ${message}`),
    ]),
    ...(
      [
        ["is of another class", "kind: fire, input: { gpio: 2 }", "of another class \\(fire\\)"],
        [
          "is of its device",
          "kind: glass, input: { mqtt: i4, path: /b, open: [1] }",
          "of the same device \\(mqtt i4\\)",
        ],
      ] as const
    ).map(([what, rest, message]): [string, string, RegExp] => [
      `a confirming zone that ${what}`,
      `zones:\n  - { id: a, name: A, kind: motion, objective: { type: obiective/cladiri, id: 12 }, input: { mqtt: i4, path: /a, open: [1] }, confirmWith: { zones: [c] } }\n  - { id: c, name: C, objective: { type: obiective/cladiri, id: 12 }, ${rest} }\n`,
      new RegExp(`^2:\\d+: zones\\[0\\]\\.confirmWith\\.zones\\[0\\]: zone c is ${message}`),
    ]),
    [
      "an entry delay longer than a person takes",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, entryDelayS: 46 }\n`,
      /^2:\d+: zones\[0\]\.entryDelayS: 46 is out of range; allowed: 0 to 45$/,
    ],
    [
      "a zone without a wire",
      `zones:\n  - { ${ZONE}, input: {} }\n`,
      /^2:\d+: zones\[0\]\.input: an input needs exactly one of gpio: <BCM number>, mqtt: <topic>, dc09: <account>, adc: <converter>, supply: raspberry-pi or simulated: true$/,
    ],
    [
      "a zone with two",
      `zones:\n  - { ${ZONE}, input: { gpio: 1, mqtt: a/b } }\n`,
      /^2:\d+: zones\[0\]\.input: an input needs exactly one of/,
    ],
    [
      "a line that is none",
      `zones:\n  - { ${ZONE}, input: { gpio: -1 } }\n`,
      /^2:\d+: zones\[0\]\.input\.gpio: -1 is out of range/,
    ],
    [
      "a topic without values",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b } }\n`,
      /zones\[0\]\.input: open is missing$/,
    ],
    [
      "a wildcard topic",
      `zones:\n  - { ${ZONE}, input: { mqtt: "a/#", open: [1] } }\n`,
      /^2:\d+: zones\[0\]\.input\.mqtt: "a\/#": at least 2 levels without wildcards must precede #, such as alarm\/hall\/#$/,
    ],
    [
      "a topic of the broker's own",
      `zones:\n  - { ${ZONE}, input: { mqtt: $SYS/broker/uptime, open: [1] } }\n`,
      /^2:\d+: zones\[0\]\.input\.mqtt: "\$SYS\/broker\/uptime": topics below \$SYS are the broker's statistics\. Use the topic of the sensor$/,
    ],
    [
      "a shared subscription",
      `zones:\n  - { ${ZONE}, input: { gpio: 4 }, bridge: { mqtt: $share/g/bridge } }\n`,
      /^2:\d+: zones\[0\]\.bridge\.mqtt: "\$share\/g\/bridge": a shared subscription delivers only some/,
    ],
    [
      "values that compare equal",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: ["ON"], normal: [1] } }\n`,
      /^2:\d+: zones\[0\]\.input\.normal: "ON" in open and 1 in normal compare equal: .*Use different values$/,
    ],
    [
      "a tamper that is always so",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: [1] }, tamper: { path: /t, open: [true], normal: ["True"] } }\n`,
      /^2:\d+: zones\[0\]\.tamper\.normal: true in open and "True" in normal compare equal/,
    ],
    [
      "a last will that is both",
      `zones:\n  - { ${ZONE}, input: { gpio: 4 }, availability: { mqtt: a/b, up: [Offline] } }\n`,
      /^2:\d+: zones\[0\]\.availability.*: "Offline" in up and "offline" in down compare equal/,
    ],
    [
      "a gate that is both",
      `zones:\n  - { ${ZONE}, input: { gpio: 4 }, gate: { mqtt: a/b, open: [armed], normal: [ARMED] } }\n`,
      /zones\[0\]\.gate\.normal: "armed" in open and "ARMED" in normal compare equal/,
    ],
    [
      "bits that a value does not have",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: /s, bits: 3, open: [1, 4] } }\n`,
      /^2:\d+: zones\[0\]\.input\.open: 4 can never be read with bits: 3\. Use sums of those bits, or 0 for none of them$/,
    ],
    [
      "text where bits are read",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: [1] }, tamper: { path: /t, bits: 4, open: [open] } }\n`,
      /^2:\d+: zones\[0\]\.tamper\.open: "open" can never be read with bits: 4\./,
    ],
    [
      "bits of a charge",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: [1] }, battery: { path: /t, bits: 4, below: 15 } }\n`,
      /^2:\d+: zones\[0\]\.battery\.bits: below is for a charge in percent, which has no bits\. Use low, or remove bits$/,
    ],
    [
      "a gate's openings that are one",
      `zones:\n  - { ${ZONE}, input: { gpio: 4 }, gate: { mqtt: a/b, open: [armed], dedupe: { path: /id } } }\n`,
      /zones\[0\]\.gate\.dedupe: unknown option\./,
    ],
    ...(
      [
        [
          "a condition without a value",
          "{ path: /a, in: [] }",
          /0\]: can never hold: in: \[\] matches no value/,
        ],
        [
          "a condition of nothing",
          "{ path: /a }",
          /0\]: can never hold: a condition needs in: .* not: .* or exists:/,
        ],
        [
          "a value that must be missing",
          "{ path: /a, exists: false, in: [1] }",
          /0\]: .*cannot be missing and have a value/,
        ],
        [
          "a value that must be missing elsewhere",
          "{ path: /a, in: [1] }, { path: /a, exists: false }",
          /1\]: can never hold: \/a cannot be missing/,
        ],
        [
          "two values in one place",
          "{ path: /a, in: [x] }, { path: /a, in: [y] }",
          /1\]: can never hold: no value of \/a meets every condition/,
        ],
        [
          "a value that is excluded",
          "{ path: /a, in: [ON] }, { path: /a, not: [true] }",
          /1\]: can never hold: no value of \/a/,
        ],
        [
          "a value in what must be missing",
          "{ path: /a, exists: false }, { path: /a/b, exists: true }",
          /1\]: .*\/a\/b cannot have a value where \/a must be missing/,
        ],
        [
          "a contact that must be missing",
          "{ path: /x, exists: false }",
          /where: matches no message with a value of open at \/x/,
        ],
        [
          "another value than the one that opens",
          "{ path: /x, in: [motion] }",
          /where: matches no message with a value of open at \/x\. Remove/,
        ],
        [
          "a number where the condition wants text",
          "{ path: /x, in: [opened, closed] }",
          /where: matches no message with a value of open/,
        ],
        ["the only value that opens excluded", "{ path: /x, not: [1] }", /where: matches no message/],
        ["an unknown option of a condition", "{ path: /a, is: [1] }", /where\[0\]\.is: unknown option/],
        ["a condition without a place", "{ in: [1] }", /where\[0\]: path is missing$/],
      ] as const
    ).map(([what, where, message]): [string, string, RegExp] => [
      `${what}, in where`,
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: /x, open: [1], where: [${where}] } }\n`,
      new RegExp(`^2:\\d+: zones\\[0\\]\\.input\\.?.*${message.source}`),
    ]),
    [
      "conditions of tamper against those of the input",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: /x, open: [1], where: [{ path: /id, in: [1] }] }, tamper: { path: /t, open: [1], where: [{ path: /id, in: [2] }] } }\n`,
      /zones\[0\]\.tamper\.where\[0\]: can never hold: no value of \/id/,
    ],
    [
      "a plain payload with conditions",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: [1], where: [{ path: /id, in: [1] }] } }\n`,
      /zones\[0\]\.input: path is missing: with where, the message is not a plain value/,
    ],
    [
      "a sign for every entry of a list",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: "/params/events/*/event", open: [1] } }\n`,
      /zones\[0\]\.input: a path passes through lists automatically\. Use \/params\/events\/event$/,
    ],
    [
      "a transmitter's code that YAML takes for a number",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: /Data, open: [0x1A2B] } }\n`,
      /^2:\d+: zones\[0\]\.input\.open\[0\]: 0x1A2B without quotes is the number 6699, but devices send it as text\. Use "0x1A2B"$/,
    ],
    [
      "a code with an E in it",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: /x, open: [1], where: [{ path: /id, in: ["12E4", 12E5] }] } }\n`,
      /^2:\d+: zones\[0\]\.input\.where\[0\]\.in\[1\]: 12E5 without quotes is the number 1200000/,
    ],
    [
      "a code of more digits than a number has",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: [76561198000000001] } }\n`,
      /input\.open\[0\]: 76561198000000001 without quotes is the number/,
    ],
    [
      "a code with a zero at its beginning",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: [0567] } }\n`,
      /input\.open\[0\]: 0567 without quotes is the number 567, but devices send it as text\. Use "0567"$/,
    ],
    [
      "a value in braces where a list belongs",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: ON } }\n`,
      /^2:\d+: zones\[0\]\.input\.open: must be a list, not "ON"\. Write it in brackets: \["ON"\]$/,
    ],
    [
      "a number in braces where a list of texts belongs",
      'dc09: { accounts: [{ account: "1234", plain: true, from: 0301 }] }\n',
      /dc09\.accounts\[0\]\.from: must be a list, not 301\. Write it in brackets: \["0301"\]$/,
    ],
    [
      "a zone without its sign for an entry",
      "zones:\n  - id: a\n    name: A\n    id: b\n",
      /^4:5: invalid YAML: id is set twice, first in line 2\. Keep one of them, or begin a new entry with - before id$/,
    ],
    [
      "a zone id that begins with zeros",
      `zones:\n  - { ${ZONE.replace("id: a", "id: 007")}, input: { gpio: 4 } }\n`,
      /zones\[0\]\.id: must be text, not 007\. Write it in quotes: "007"$/,
    ],
    [
      "two zones whose conditions overlap",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: /x, open: [1], where: [{ path: /id, in: [1, 2] }] } }\n  - { ${ZONE.replace("id: a", "id: b")}, input: { mqtt: a/b, path: /x, open: ["ON"], where: [{ path: /id, in: ["2"] }] } }\n`,
      /^3:\d+: zones\[1\]\.input\.mqtt: zone a already opens at the same value of this topic and path\. Correct the topic, or add where/,
    ],
    [
      "filters that overlap",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/+/c, open: [1] } }\n  - { ${ZONE.replace("id: a", "id: b")}, input: { gpio: 4 }, availability: { mqtt: a/b/c } }\n`,
      /^3:\d+: zones\[1\]\.availability\.mqtt: overlaps with the filter a\/\+\/c of another zone or value\. Make both equal or narrower$/,
    ],
    [
      "a tamper value without messages",
      `zones:\n  - { ${ZONE}, input: { gpio: 4 }, tamper: { path: /tamper, open: [true] } }\n`,
      /^2:\d+: zones\[0\]\.tamper: mqtt is missing: the input of the zone is not MQTT/,
    ],
    [
      "a battery that is never low",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: [1] }, battery: { path: /battery } }\n`,
      /^2:\d+: zones\[0\]\.battery: needs low \(.* or below/,
    ],
    [
      "a contact that is none",
      `zones:\n  - { ${ZONE}, input: { gpio: 1, contact: closed } }\n`,
      /input\.contact: must be one of nc, no, not "closed"$/,
    ],
    [
      "a misspelt input option",
      `zones:\n  - { ${ZONE}, input: { gpio: 1, contakt: nc } }\n`,
      /input\.contakt: unknown option\. Did you mean contact\?$/,
    ],
    [
      "a debounce that is too long",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, debounceMs: 500 }\n`,
      /zones\[0\]\.debounceMs: 500 is out of range; allowed: 0 to 200$/,
    ],
    [
      "a kind that is none",
      `zones:\n  - { ${ZONE.replace("intrusion", "door")}, input: { gpio: 1 } }\n`,
      /zones\[0\]\.kind: must be one of intrusion, perimeter[^?]*, not "door"\. Did you mean intrusion\?$/,
    ],
    [
      "a kind in Romanian",
      `zones:\n  - { ${ZONE.replace("intrusion", "Incendiu")}, input: { gpio: 1 } }\n`,
      /zones\[0\]\.kind: must be one of [^?]*, not "Incendiu"\. Did you mean fire\?$/,
    ],
    [
      "a kind in Romanian (fereastră)",
      `zones:\n  - { ${ZONE.replace("intrusion", "fereastră")}, input: { gpio: 1 } }\n`,
      /zones\[0\]\.kind: must be one of [^?]*, not "fereastră"\. Did you mean intrusion\?$/,
    ],
    [
      "a kind in Romanian (urgență)",
      `zones:\n  - { ${ZONE.replace("intrusion", "urgență")}, input: { gpio: 1 } }\n`,
      /zones\[0\]\.kind: must be one of [^?]*, not "urgență"\. Did you mean panic\?$/,
    ],
    [
      "a kind in Romanian (inundație)",
      `zones:\n  - { ${ZONE.replace("intrusion", "inundație")}, input: { gpio: 1 } }\n`,
      /zones\[0\]\.kind: must be one of [^?]*, not "inundație"\. Did you mean flood\?$/,
    ],
    [
      "a path without a slash",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: smoke, open: [1] } }\n`,
      /zones\[0\]\.input\.path: "smoke" does not match the expected format\. Begin it with \/: \/smoke$/,
    ],
    [
      "a path with too many levels",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: /a/b/c/d/e/f/g/h/i, open: [1] } }\n`,
      /zones\[0\]\.input\.path: "\/a\/b\/c\/d\/e\/f\/g\/h\/i" has too many levels; at most 8 are allowed$/,
    ],
    [
      "a zone without objective",
      "zones:\n  - { id: a, name: A, kind: fire, input: { gpio: 1 } }\n",
      /zones\[0\]: objective is missing\. Write it as \{ type: obiective\/cladiri, id: 12 \}$/,
    ],
    [
      "a misspelt kind",
      `zones:\n  - { ${ZONE.replace("intrusion", "panik")}, input: { gpio: 1 } }\n`,
      /zones\[0\]\.kind: must be one of intrusion, [^.]*, not "panik"\. Did you mean panic\?$/,
    ],
    [
      "a profile that is none",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, profile: burglar }\n`,
      /zones\[0\]\.profile: unknown profile burglar\. Known: burglary, holdup/,
    ],
    [
      "one GPIO line twice",
      `zones:\n  - { ${ZONE}, input: { gpio: 17 } }\n  - { ${ZONE.replace("id: a", "id: b")}, input: { gpio: 17 } }\n`,
      /^3:\d+: zones\[1\]\.input\.gpio: line 17 is used by two zones, a and b$/,
    ],
    [
      "one line of an expander twice",
      `gpio: { chips: { expander: { label: mcp23017 } } }\nzones:\n  - { ${ZONE}, input: { gpio: 3, chip: expander } }\n  - { ${ZONE.replace("id: a", "id: b")}, input: { gpio: 3, chip: expander } }\n`,
      /^4:\d+: zones\[1\]\.input\.gpio: line expander\/3 is used by two zones, a and b$/,
    ],
    [
      "one line under two names of its chip",
      `gpio: { chips: { header: {} } }\nzones:\n  - { ${ZONE}, input: { gpio: 17 } }\n  - { ${ZONE.replace("id: a", "id: b")}, input: { gpio: 17, chip: header } }\n`,
      /^4:\d+: zones\[1\]\.input\.gpio: line header\/17 is used by two zones, a and b$/,
    ],
    [
      "a line of a chip that is not configured",
      `gpio: { chips: { expander: { device: 1-0020 } } }\nzones:\n  - { ${ZONE}, input: { gpio: 3, chip: expandr } }\n`,
      /^3:\d+: zones\[0\]\.input\.chip: unknown chip "expandr"\. Known in gpio\.chips: expander\. /,
    ],
    [
      "a key switch on the line of a zone at the same chip",
      `gpio: { chips: { expander: { device: 1-0020 } } }\nzones:\n  - { ${ZONE}, input: { gpio: 3, chip: expander }, gate: { gpio: 3, chip: expander } }\n`,
      /zones\[0\]\.gate\.gpio: line expander\/3 is the input of zone a; a gate needs a separate line$/,
    ],
    [
      "one input of a converter twice",
      `zones:\n  - { ${ZONE}, input: { adc: ads1115, channel: 2, eol: { normal: 2k2, alarm: 4k4, pullUp: 2k2 } } }\n  - { ${ZONE.replace("id: a", "id: b")}, input: { adc: ads1115, channel: 2, eol: { normal: 2k2, alarm: 4k4, pullUp: 2k2 } } }\n`,
      /^3:\d+: zones\[1\]\.input\.channel: input 2 of ads1115 is used by two zones, a and b$/,
    ],
    [
      "end-of-line resistors that are too alike",
      `zones:\n  - { ${ZONE}, input: { adc: ads1115, channel: 0, eol: { normal: 2k2, alarm: 2k7, pullUp: 2k2 } } }\n`,
      /zones\[0\]\.input\.eol: normal \(2200 Ω\) and alarm \(2700 Ω\) overlap with a tolerance of 10 %\. /,
    ],
    [
      "a resistance that is none",
      `zones:\n  - { ${ZONE}, input: { adc: ads1115, channel: 0, eol: { normal: 2k2 Ohm, alarm: 4k4, pullUp: 2k2 } } }\n`,
      /zones\[0\]\.input\.eol\.normal: "2k2 Ohm" does not match the expected format/,
    ],
    [
      "a loop that is read too rarely",
      `zones:\n  - { ${ZONE}, input: { adc: ads1115, channel: 0, everyMs: 500, eol: { normal: 2k2, alarm: 4k4, pullUp: 2k2 } } }\n`,
      /zones\[0\]\.input\.everyMs: EN 50131 requires signals of 400 ms to be processed\. Use at most 200, or allowSlow: true/,
    ],
    [
      "a second source of a loop's tamper",
      `zones:\n  - { ${ZONE}, tamper: { mqtt: a/b, path: /tamper, open: [true] }, input: { adc: ads1115, channel: 0, eol: { normal: 2k2, alarm: 4k4, pullUp: 2k2 } } }\n`,
      /zones\[0\]\.tamper: the loop of the zone reports its tamper/,
    ],
    [
      "a loop without its resistors",
      `zones:\n  - { ${ZONE}, input: { adc: ads1115, channel: 0 } }\n`,
      /zones\[0\]\.input: eol is missing$/,
    ],
    [
      "one zone twice",
      `zones:\n  - { ${ZONE}, input: { gpio: 17 } }\n  - { ${ZONE}, input: { gpio: 18 } }\n`,
      /^3:7: zones\[1\]\.id: duplicate zone a\. Give each zone its own id$/,
    ],
    [
      "one reading twice",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, path: /x, open: ["ON"] } }\n  - { ${ZONE.replace("id: a", "id: b")}, input: { mqtt: a/b, path: /x, open: [on, 1] } }\n`,
      /^3:\d+: zones\[1\]\.input\.mqtt: zone a already opens at the same value/,
    ],
    [
      "one objective twice",
      "objectives:\n  obiective/bunuri:\n    - { id: 1, name: A }\n    - { id: 1, name: B }\n",
      /^4:9: objectives\.obiective\/bunuri\[1\]\.id: duplicate objective 1/,
    ],
    [
      "a schedule that is none",
      "upstream: { baseUrl: http://a, email: a@b, passwordFile: ./pw, schedule: hourly }\n",
      /upstream\.schedule: "hourly" is not a cron expression\. Use five fields/,
    ],
    [
      "a schedule at an hour that is none",
      'upstream: { baseUrl: http://a, email: a@b, passwordFile: ./pw, schedule: "0 25 * * mon" }\n',
      /upstream\.schedule: "0 25 \* \* mon" is not a cron expression: the hour 25 is invalid\. Use 0 to 23$/,
    ],
    [
      "a schedule with seconds and a misspelt month",
      'upstream: { baseUrl: http://a, email: a@b, passwordFile: ./pw, schedule: "0 0 3 1 jann *" }\n',
      /"0 0 3 1 jann \*" is not a cron expression: the month jann is invalid\. Use 1 to 12, or a name such as jan$/,
    ],
    [
      "a schedule for a day that no month has",
      'upstream: { baseUrl: http://a, email: a@b, passwordFile: ./pw, objectives: "0 3 31 2 *" }\n',
      /upstream\.objectives: "0 3 31 2 \*" never runs: no month has such a day\. Use five fields/,
    ],
    [
      "a gate's schedule that cannot be read",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, gate: { schedule: "weekdays 18-7" } }\n`,
      /zones\[0\]\.gate\.schedule: invalid schedule\. Use a form such as "sun-fri 18:00-07:00, sat-sun"; days are mon to sun, times are 24-hour$/,
    ],
    [
      "a gate on the zone's own line",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, gate: { gpio: 1 } }\n`,
      /zones\[0\]\.gate\.gpio: line 1 is the input of zone a; a gate needs a separate line$/,
    ],
    [
      "a gate's filter that overlaps with a zone's",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, open: [1] }, gate: { mqtt: a/+, open: [on] } }\n`,
      /zones\[0\]\.gate\.mqtt: overlaps with the filter a\/b/,
    ],
    [
      "one key in two ways",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, gate: { gpio: 3 } }\n  - { ${ZONE.replace("id: a", "id: b")}, input: { gpio: 2 }, gate: { gpio: 3, contact: no } }\n`,
      /zones\[1\]\.gate\.gpio: line 3 is also the gate of zone a, with a different contact or bias$/,
    ],
    [
      "a zone that is slower than it should be",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, minOpenMs: 401 }\n`,
      /zones\[0\]\.minOpenMs: EN 50131 requires signals of 400 ms to be processed\. Use at most that, or allowSlow: true/,
    ],
    [
      "a text about something that is not there",
      'profiles: { burglary: { name: "{zone.name} {zone.colour}" } }\n',
      /^1:\d+: profiles\.burglary\.name: unknown placeholder \{zone\.colour\}\. Known: \{zone\.name\}/,
    ],
    [
      "a shutdown that ends too soon",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, swinger: { resetAfterQuietS: 60 } }\n`,
      /zones\[0\]\.swinger\.resetAfterQuietS: 60 is out of range; allowed: 3600 to 604800$/,
    ],
    [
      "a gate that is none",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, gate: sometimes }\n`,
      /zones\[0\]\.gate: a gate is always, \{ schedule:/,
    ],
    [
      "a gate's misspelt option",
      `zones:\n  - { ${ZONE}, input: { gpio: 1 }, gate: { gpio: 2, contakt: nc } }\n`,
      /gate\.contakt: unknown option\. Did you mean contact\?$/,
    ],
    [
      "a centre without an address",
      "upstream: { email: a@b, passwordFile: ./pw }\n",
      /^1:1: upstream: baseUrl is missing$/,
    ],
    [
      "a centre without a password",
      "upstream: { baseUrl: http://a, email: a@b }\n",
      /^1:1: upstream: passwordFile is missing\. Write the password to a file with mode 0600/,
    ],
    [
      "a password file that is not there",
      "upstream: { baseUrl: http://a, email: a@b, passwordFile: ./nope }\n",
      /upstream\.passwordFile: password file .*nope does not exist\. Create it/,
    ],
    [
      "a password in a mistyped address of a broker, which is not repeated",
      'mqtt: { url: "mqqt://u:secret@h" }\n',
      /^1:9: mqtt\.url: (?!.*secret)does not match the expected format/,
    ],
    [
      "a password in a mistyped address of a centre, which is not repeated",
      'upstream: { baseUrl: "htps://u:secret@h", email: a@b, passwordFile: pw }\n',
      /^1:13: upstream\.baseUrl: (?!.*secret)does not match the expected format/,
    ],
    [
      "a password in an address at the wrong place, which is not repeated",
      "upstream: https://u:secret@h\n",
      /^1:1: upstream: must be a section, not "https:\/\/…@h"$/,
    ],
    [
      "options in braces without commas",
      "site: { name: a ref: b }\n",
      /^1:15: invalid YAML: the options in a pair of brackets are separated by commas\. Put a comma between them$/,
    ],
    [
      "a path of Windows in double quotes",
      'dataDir: "C:\\Users\\x"\n',
      /^1:13: invalid YAML: in double quotes, \\ begins a special character\. Use single quotes, or \/ in a path$/,
    ],
    [
      "two configurations",
      "mqtt: off\n---\nlog: {}\n",
      /^2:1: invalid YAML: a second configuration begins here/,
    ],
    [
      "an entry of a list without a space",
      "zones:\n-id: a\n",
      /^1:1: zones: must be a list, not null.*\n2:1: -id: unknown option\. Write a space after - to begin/,
    ],
    [
      "a capital in an id",
      `zones:\n  - { ${ZONE.replace("id: a", "id: Front-Door")}, input: { gpio: 1 } }\n`,
      /^2:7: zones\[0\]\.id: "Front-Door" does not match .*: a–z, 0–9, - and _, beginning .* Use front-door$/,
    ],
    [
      "a missing id, with one that is made of the name",
      `zones:\n  - { ${ZONE.replace("id: a, ", "").replace(/name: [^,]+/, "name: Ușa din față")}, input: { gpio: 1 } }\n`,
      /^2:5: zones\[0\]: id is missing\. Add id: usa-din-fata$/,
    ],
    [
      "two zones of one name without ids",
      `zones:\n${`  - { ${ZONE.replace("id: a, ", "").replace(/name: [^,]+/, "name: Hol")}, input: { gpio: 1 } }\n`.repeat(2)}`,
      /^2:5: zones\[0\]: id is missing\. Add id: hol\n3:5: zones\[1\]: id is missing\. Add id: hol-2$/,
    ],
    ["true for encryption", "http: { tls: true }\n", /^1:9: http\.tls: must be own, off or \{ certFile/],
    [
      "a certificate without its key",
      "http: { tls: { certFile: a } }\n",
      /^1:9: http\.tls: keyFile is missing$/,
    ],
    [
      "authorities that are missing or no certificates, each of them",
      "mqtt: { url: mqtts://a, tls: { caFile: pw } }\nupstream: { baseUrl: https://a, email: a@b, passwordFile: pw, caFile: gone.crt }\n",
      /^1:32: mqtt\.tls\.caFile: .*pw is not a readable certificate .*\n2:\d+: upstream\.caFile: .*gone\.crt is not a readable .*ENOENT/,
    ],
    [
      "a broker and a built-in one",
      "mqtt: { url: mqtt://a, listen: { port: 1 } }\n",
      /mqtt\.listen: the built-in broker cannot be combined with an external one/,
    ],
    [
      "a built-in broker without access control",
      "mqtt: { listen: { host: 0.0.0.0 } }\n",
      /mqtt\.listen\.host: beyond loopback \(0\.0\.0\.0\) the built-in broker needs username and passwordFile, or accounts$/,
    ],
    [
      "a client certificate on a line that is not encrypted",
      "mqtt: { url: mqtt://a, tls: { caFile: ca.pem } }\n",
      /^1:24: mqtt\.tls: certificates need an encrypted connection\. Set mqtt\.url to mqtts:\/\//,
    ],
    [
      "Home Assistant without a broker",
      "mqtt: off\nhomeAssistant: { enabled: true }\n",
      /^2:18: homeAssistant\.enabled: needs a broker, but mqtt is off\./,
    ],
    ["a word for a broker", "mqtt: yes please\n", /^1:1: mqtt: must be off or a section such as/],
    [
      "a misspelt broker option",
      "mqtt: { ulr: mqtt://a }\n",
      /mqtt\.ulr: unknown option\. Did you mean url\?$/,
    ],
    [
      "a misspelt option that is required",
      "zones:\n  - { id: a, nme: A, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 1 } }\n",
      /^2:14: zones\[0\]\.nme: unknown option\. Did you mean name\?$/,
    ],
    [
      "a misspelt option that is required, in one of several forms",
      `zones:\n  - { ${ZONE}, input: { mqtt: a/b, opn: [1] } }\n`,
      /^2:\d+: zones\[0\]\.input\.opn: unknown option\. Did you mean open\?$/,
    ],
    [
      "a misspelt input",
      `zones:\n  - { ${ZONE}, input: { mqt: a/b } }\n`,
      /^2:\d+: zones\[0\]\.input\.mqt: unknown option\. Did you mean mqtt\?$/,
    ],
    [
      "a key twice",
      "http: {}\nsite:\n  ref: a\n  name: A\n  ref: b\nhttp: {}\n",
      /^5:3: invalid YAML: ref is set twice, first in line 3\. Keep one of them\n6:1: invalid YAML: http is set twice, first in line 1\./,
    ],
    [
      "a section in brackets without its end",
      "zones:\n  - id: a\n    input: { gpio: 17, contact: nc\n  - id: b\n    name: c\n",
      /^3:12: invalid YAML: the list or section that begins here with \{ does not end\. Close it with \}$/,
    ],
    [
      "a list in brackets without its end",
      "zones:\n  - input: { mqtt: a/b, open: [x }\n    name: y\n",
      /^2:31: invalid YAML: the list or section that begins here with \[ does not end\. Close it with \]$/,
    ],
    [
      "a bracket too many",
      "http: { port: 1 }}\nmqtt: off\nzones: []\n",
      /^1:18: invalid YAML: this \} closes nothing\. Remove it$/,
    ],
    [
      "a missing comma",
      "zones: [ { id: a } { id: b } ]\n",
      /^1:20: invalid YAML: the value before this has ended\. Put a comma between two values, or/,
    ],
    [
      "a missing comma at the end of a line",
      "site: { name: x\n  ref: y }\n",
      /^1:15: invalid YAML: the options in a pair of brackets are separated by commas\. Put a comma after this one$/,
    ],
    [
      "a colon in a text",
      "site:\n  name: Hala: Nord\n",
      /^2:9: invalid YAML: the value has a colon and a space in it\. Put it in quotes$/,
    ],
    [
      "an indented line below a value",
      "site:\nname: a\n  ref: b\n",
      /^2:7: invalid YAML: the next line is indented, but this option has its value already\. Indent both equally$/,
    ],
    [
      "a line in another column",
      "zones:\n  - id: a\n   name: b\n    kind: c\n",
      /^3:1: invalid YAML: this line begins in another column than its section\. .* in one column$/,
    ],
    [
      "tabs",
      "site:\n\tname: a\n\tref: b\n",
      /^2:1: invalid YAML: a tab cannot indent a line\. Replace all tabs at the beginning of lines by spaces$/,
    ],
    [
      "no space after a colon",
      "site:\n  name:a\n  ref: b\n",
      /^2:3: invalid YAML: an option needs a colon and a space before its value\. Write it as option: value$/,
    ],
    [
      "a text that begins with a special character",
      "site:\n  name: @home\n",
      /^2:9: invalid YAML: a text cannot begin with @\. Put it in quotes$/,
    ],
    [
      "a missing quote before further lines",
      'site:\n  name: "Hala Nord\n  locale: ro\nhttp:\n  port: 8080\n',
      /^2:9: invalid YAML: the text that begins here with " does not end\. Close it with "$/,
    ],
    [
      "a missing quote before a line with quotes",
      "site:\n  name: 'Hala Nord\nhttp:\n  host: '127.0.0.1'\n",
      /^2:9: invalid YAML: /,
    ],
    ["no YAML at all", "http: {\n", /^\d+:\d+: invalid YAML: /],
    ["a list instead of sections", "- a\n", /^1:1: must be a section/],
  ];
  test.each(UNUSABLE_ALIASES)("$what", ({ yaml, line, column, message }) => {
    expect(refusal(yaml)).toBe(`${line}:${column}: ${message}`);
  });

  test.each(mistakes)("%s", (_what, yaml, message) => {
    expect(refusal(yaml)).toMatch(message);
  });

  test("all errors are reported at once", () => {
    expect(refusal("http: { prot: 1 }\nsite: { locale: de }\n").split("\n")).toHaveLength(2);
  });

  test("a missing file is another kind of error", () => {
    expect(() => loadConfiguration({ file: "nowhere.yaml", env: {}, cwd: folder })).toThrow(
      /cannot read the configuration .*nowhere\.yaml/,
    );
  });
});

describe("a valid configuration", () => {
  test("without options has the defaults", () => {
    expect(load("{}")).toMatchObject({
      file,
      dataDir: join(folder, "var"),
      site: { name: "Site", ref: "site-1", timezone: "Europe/Bucharest", locale: "ro", dispeceratId: 1 },
      http: { host: "127.0.0.1", port: 8080, basePath: "", tls: { mode: "off" }, corsOrigins: [] },
      upstream: null,
      mqtt: { mode: "built-in", host: "127.0.0.1", port: 1883 },
      gpio: { backend: "auto" },
      zones: [],
      warnings: [],
    });
  });

  test.each([
    ["http: { connectionsMax: 12000, connectionsPerAddressMax: 12000 }\n", 12_000, 12_000],
    ["http: { connectionsMax: 16 }\n", 16, 64],
    ["http: { connectionsPerAddressMax: 256 }\n", 256, 256],
  ])("may limit the connections: %s", (yaml, connectionsMax, connectionsPerAddressMax) => {
    expect(load(yaml).http).toMatchObject({ connectionsMax, connectionsPerAddressMax });
  });

  test("as documented is accepted, with the defaults of each input and zone type", () => {
    const { zones, upstream, mqtt } = load(`
upstream: { baseUrl: "http://127.0.0.1:8090", email: edge@example.org, passwordFile: ./pw, schedule: "* * * * *", marker: notes }
mqtt: { url: mqtt://127.0.0.1:1883, username: u, passwordFile: ./pw }
profiles: { burglary: { crews: 2 } }
zones:
  - { ${ZONE}, input: { gpio: 17, contact: nc, bias: pull-up } }
  - { id: b, name: B, kind: panic, objective: { type: obiective/persoane, id: 2 }, input: { gpio: 18 } }
  - { id: c, name: C, kind: fire, objective: { type: obiective/bunuri, id: 3 }, input: { mqtt: a/b, path: /x, open: [true] } }
  - { id: d, name: D, kind: technical, objective: { type: obiective/bunuri, id: 3 }, input: { simulated: true }, confirmMs: 2500 }
`);
    expect(upstream).toMatchObject({ password: "secret", timeoutS: 20, marker: "notes" });
    expect(mqtt).toEqual({
      mode: "external",
      url: "mqtt://127.0.0.1:1883",
      credentials: { username: "u", password: "secret" },
    });
    expect(
      zones.map(({ rules, profile }) => [
        rules.debounceMs,
        rules.minOpenMs,
        rules.confirmMs,
        profile.crews,
        profile.priority,
      ]),
    ).toEqual([
      [50, 250, 0, 2, "high"],
      [50, 20, 0, 2, "high"],
      [0, 0, 0, 1, "high"],
      [0, 0, 2500, 1, "medium"],
    ]);
    expect(zones[2]?.profile.firetruck).toBe(true);
    expect(zones.map(({ rules }) => rules.tripsAtFirstSight)).toEqual([false, true, true, false]);
  });

  test("has the certificates of its broker loaded, and warns of a key that others can read", async () => {
    const { cert: ca } = await temporaryCertificate(folder, { names: [], nowMs: Date.now() });
    writeFileSync(join(folder, "ca"), ca);
    for (const name of ["cert", "key"]) writeFileSync(join(folder, name), `${name} pem`, { mode: 0o644 });
    const { mqtt, warnings } = load(
      "mqtt: { url: mqtts://broker, tls: { caFile: ca, certFile: cert, keyFile: key } }\n",
    );
    expect(mqtt).toMatchObject({ tls: { ca, cert: "cert pem", key: "key pem" } });
    expect(warnings).toEqual([expect.stringMatching(/key is readable by other users/)]);
  });

  test("warns of a password sent unencrypted to a remote broker", () => {
    const { warnings } = load("mqtt: { url: mqtt://broker, username: u, passwordFile: ./pw }\n");
    expect(warnings).toEqual([expect.stringMatching(/^mqtt\.url is not encrypted/)]);
  });

  test("quotation marks of a word processor are named, unless they belong to a text or are in others", () => {
    const { warnings } = load(
      "site: { name: „Sediul central” }\n" +
        `zones:\n  - { ${ZONE}, input: { mqtt: hall, open: [”ON”] } }\n` +
        'objectives:\n  obiective/cladiri:\n    - { id: 1, name: Depozit „Nord” }\n    - { id: 2, name: "„Sud”" }\n    - { id: 3, name: Vest” }\n',
    );
    const named = warnings.filter((text) => text.includes("is part of this value"));
    expect(named).toEqual([
      expect.stringMatching(
        /:1:15: „ is part of this value: the quotation marks of YAML are " and '\. Write one/,
      ),
      expect.stringMatching(/:3:\d+: ” is part/),
      expect.stringMatching(/:8:22: ” is part/),
    ]);
    expect(named.join()).not.toContain("Sediul");
  });

  test("warns of tags of other programs, which it ignores", () => {
    const { site, log, warnings } = load("site: { name: !secret a }\nlog: { level: !include debug }\n");
    expect([site.name, log.level]).toEqual(["a", "debug"]);
    expect(warnings).toEqual([
      expect.stringMatching(/:1:15: !secret has no meaning here and is ignored\. Write the value itself/),
      expect.stringMatching(/:2:15: !include has no meaning here/),
    ]);
  });

  test("warns of a home directory that is not one", () => {
    expect(load("dataDir: ~/data\n").warnings).toEqual([
      expect.stringMatching(/^dataDir: ~ is the name of a/),
    ]);
  });

  test("warns of values that are probably a mistake", () => {
    writeFileSync(join(folder, "open"), "secret", { mode: 0o644 });
    const { warnings } = load(
      `http: { host: 0.0.0.0, tls: off }\nupstream: { baseUrl: http://a, email: a@b, passwordFile: ./open }\nobjectives: { obiective/cladiri: [{ id: 2, name: B }] }\nzones:\n  - { ${ZONE.replace("intrusion", "motion")}, input: { gpio: 1 }, profile: holdup }\n  - { id: b, name: B, kind: fire, objective: { type: obiective/cladiri, id: 2 }, input: { gpio: 2 }, gate: { schedule: mon } }\n`,
      { SANTINELA_NONSENSE: "1" },
    );
    expect(warnings).toEqual([
      expect.stringMatching(/SANTINELA_NONSENSE does not match an option/),
      expect.stringMatching(/http\.tls is off: passwords and records cross the network unencrypted/),
      expect.stringMatching(/upstream\.baseUrl is plain http/),
      expect.stringMatching(/zone a: objective 1 of obiective\/cladiri is not in objectives/),
      expect.stringMatching(/zone a: a single motion detector requests the police/),
      expect.stringMatching(/zone b: its gate is ignored; fire is always dispatched/),
      expect.stringMatching(/chmod 600/),
    ]);
  });

  test("warns of topics and paths that can hardly match, which are no error", () => {
    const input = (mqtt: string, path: string): string =>
      `    input: { mqtt: ${mqtt}, path: ${path}, open: [false] }\n`;
    const about = (id: string): string =>
      `  - id: ${id}\n    name: ${id}\n    kind: intrusion\n    objective: { type: obiective/cladiri, id: 12 }\n`;
    const zones = [
      ["a", input('"zigbee2mqtt/x "', "/contact")],
      ["b", input("/zigbee2mqtt/e", "/contact")],
      ["c", input("zigbee2mqtt/f/", "/contact")],
      ["d", input("zigbee2mqtt/g", "/contact/")],
      ["e", input("zigbee2mqtt/h", "/contact")],
    ] as const;
    const { warnings } = load(`zones:\n${zones.map(([id, text]) => about(id) + text).join("")}`);
    expect(warnings.filter((text) => /blank|slash/.test(text))).toEqual([
      'zone a: "zigbee2mqtt/x ": the topic begins or ends with a blank, which counts',
      'zone b: "/zigbee2mqtt/e": the topic begins or ends with a slash, so it has an empty level',
      'zone c: "zigbee2mqtt/f/": the topic begins or ends with a slash, so it has an empty level',
      'zone d: "/contact/": the path ends with a slash, so it names an empty key',
    ]);
  });

  test("warns of `oneSensor` in a zone without several topics", () => {
    const about = (id: string, options: string): string =>
      `  - { ${ZONE.replace("id: a", `id: ${id}`)}, ${options} }\n`;
    const input = (mqtt: string): string => `input: { mqtt: ${mqtt}, open: [ON], oneSensor: true }`;
    const zones = [
      about("a", input("hall/door")),
      about("b", input("+/window")),
      about("c", `${input("hall/pir")}, tamper: { mqtt: +/tamper, open: [ON] }`),
    ];
    const { warnings } = load(`zones:\n${zones.join("")}`);
    expect(warnings.filter((text) => text.includes("oneSensor"))).toEqual([
      "zone a: oneSensor changes nothing, because no topic of the zone has a wildcard",
    ]);
  });

  test("warns once of an objective that is not imported, however many zones it has", () => {
    const zone = (id: string, rest = ""): string =>
      `  - { ${ZONE.replace("id: a", `id: ${id}`)}, input: { simulated: true }${rest} }\n`;
    const { warnings } = load(`zones:\n${zone("a")}${zone("b")}${zone("c", ", disabled: true")}`);
    expect(warnings.filter((text) => text.includes("objective"))).toEqual([
      expect.stringMatching(
        /several zones: objective 1 of obiective\/cladiri is not in objectives; import it/,
      ),
    ]);
  });

  test("does not warn of an objective that the site has from its dispatch centre", () => {
    const zone = (id: string, objective: number): string =>
      `  - { id: ${id}, name: A, kind: intrusion, objective: { type: obiective/cladiri, id: ${objective} }, input: { simulated: true } }\n`;
    writeFileSync(join(folder, "known.yaml"), `zones:\n${zone("a", 13)}${zone("b", 14)}`);
    const { warnings } = loadConfiguration({
      file: join(folder, "known.yaml"),
      env: {},
      cwd: folder,
      knowsObjective: ({ type, id }) => type === "obiective/cladiri" && id === 13,
    });
    expect(warnings.filter((text) => text.includes("objective"))).toEqual([
      expect.stringMatching(/^zone b: objective 14 of obiective\/cladiri is not in objectives/),
    ]);
  });

  test("warns of zones in words that the panel has in Romanian too", () => {
    const source = readFileSync(new URL("../../src/config/zone-checks.ts", import.meta.url), "utf8");
    const ofWarnings = source.slice(source.indexOf("export function zoneWarnings"));
    const texts = [...ofWarnings.matchAll(/(["`])([^"`\n]*\b[a-z]+ [a-z]+[^"`\n]*)\1/g)].map(
      ([, , text = ""]) => text.replaceAll(/\$\{\w+\}/g, "fire"),
    );
    const whole = texts.map((text) =>
      text
        .replace(/^fire is not in/, "objective 1 of obiective/cladiri is not in")
        .replace(/^(?!zone |several zones: )/, "zone a: "),
    );
    expect(whole.length).toBeGreaterThan(6);
    const missing = whole.filter((text) => translateToRomanian(text) === undefined);
    expect(missing).toEqual(["several zones: fire"]);
    expect(translateToRomanian("zone buton: is disabled; it is not monitored")).toBe(
      "zona buton este dezactivată și nu este monitorizată",
    );
  });

  test("warns of zones whose lines are simulated: nothing opens them", () => {
    const zones = `zones:\n  - { ${ZONE}, input: { simulated: true }, gate: { gpio: 4 } }\n  - { ${ZONE.replace("id: a", "id: b")}, input: { gpio: 17 } }\n  - { ${ZONE.replace("id: a", "id: c")}, input: { simulated: true } }\n`;
    const warning =
      "gpio.backend is simulated: no GPIO line is read, so contacts and key switches change nothing (b, a)";
    expect(load(`gpio: { backend: simulated }\n${zones}`).warnings).toContain(warning);
    expect(load(zones).warnings).not.toContain(warning);
    expect(translateToRomanian(warning)).toMatch(/^gpio\.backend este simulated: nu se citește .* \(b, a\)$/);
  });

  test("has words that are meant as true or false, unless they are in quotes", () => {
    const zone = (values: string): string =>
      `objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }\nzones:\n  - { ${ZONE}, input: { mqtt: a/b, path: /x, ${values} } }\n`;
    const { warnings } = load(zone("open: [no], normal: [yes]"));
    expect(warnings.join("\n").replaceAll(`${file}:`, "")).toMatch(
      /^3:\d+: no without quotes is the text "no", not true or false\. Write true or false if .*, otherwise "no"\n3:\d+: yes without/,
    );
    expect(load(zone("open: [Da]")).warnings).toHaveLength(1);
    expect(load(zone('open: ["no"], normal: ["yes", off]')).warnings).toEqual([]);
  });

  test("may have zones on one topic with exclusive conditions", () => {
    const at = (id: string, where: string, more = ""): string =>
      `  - { ${ZONE.replace("id: a", `id: ${id}`)}, input: { mqtt: rtl_433/events, path: /state, open: [open], where: [${where}] }${more} }\n`;
    const { zones, warnings } = load(
      `objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }\nzones:\n${at("a", "{ path: /id, in: [1] }")}${at("b", '{ path: /id, in: ["2"] }')}${at("c", "{ path: /id, exists: true, not: [1, 2] }")}${at("d", "{ path: /id, exists: false }", ", availability: { mqtt: rtl_433/events, path: /up, where: [{ path: /id, exists: false }] }")}`,
    );
    expect(zones).toHaveLength(4);
    expect(warnings).toEqual([]);
  });

  test("warns of a repetition that is never ignored, and of a contact that is a number here and text there", () => {
    const { warnings } = load(
      `objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }\nzones:\n  - { ${ZONE.replace("intrusion", "fire")}, input: { mqtt: a/b, path: /x, open: [22], normal: [closed], dedupe: { path: /id } } }\n`,
    );
    expect(warnings).toEqual([
      "zone a: dedupe is ignored for a fire zone; every opening is a trip",
      "zone a: open has only numbers and normal only text; a device sends one or the other",
    ]);
  });

  test("without a file is the embedded one of a first run, with its data in the current directory", () => {
    const config = loadConfiguration({ env: { XDG_CONFIG_HOME: folder }, cwd: folder });
    expect(config).toMatchObject({
      file: null,
      dataDir: join(folder, "var"),
      gpio: { backend: "simulated" },
      warnings: [],
    });
    expect(config.zones.map(({ id }) => id)).toEqual(["front-door", "back-gate", "panic-button"]);
  });

  test("has an error of the environment at the variable, also for one of the options in it", () => {
    expect(refusal("{}\n", { SANTINELA_HTTP: "{ prot: 1 }" })).toMatch(
      /^SANTINELA_HTTP: http\.prot: unknown/,
    );
  });

  test.each([
    [
      "Latin-1",
      Buffer.from('mqtt: off\nsite: { name: "Fabric\xe3" }\n', "latin1"),
      /:2:1: this line is not UTF-8/,
    ],
    [
      "Latin-1 without a last line end",
      Buffer.from("mqtt: off # \xe3", "latin1"),
      /:1:1: this line is not UTF-8/,
    ],
    ["UTF-16", Buffer.from("\ufeffmqtt: off\n", "utf16le"), /:1:1: the file is UTF-16\. Save it as UTF-8/],
  ])("in %s is an error with its line", (_what, bytes, message) => {
    writeFileSync(file, bytes);
    expect(() => loadConfiguration({ file, env: {}, cwd: folder })).toThrow(message);
    writeFileSync(file, "\ufeffsite: { name: Fabrică }\n");
    expect(loadConfiguration({ file, env: {}, cwd: folder }).site.name).toBe("Fabrică");
  });

  test("is read up to a limit, also from a device without a size", () => {
    expect(() => loadConfiguration({ file: "/dev/zero", env: {}, cwd: folder })).toThrow(
      /^cannot read the configuration \/dev\/zero: it is larger than 1048576 bytes$/,
    );
    expect(refusal("upstream: { baseUrl: http://a, email: a@b, passwordFile: /dev/zero }\n")).toMatch(
      /cannot read the password file \/dev\/zero: it is larger than 1048576 bytes/,
    );
    expect(refusal("{}\n", { SANTINELA_SITE__NAME_FILE: "/dev/zero" })).toMatch(
      /^SANTINELA_SITE__NAME_FILE: cannot read \/dev\/zero: it is larger/,
    );
  });

  test("is found by the command line, the environment, and in the home directory, in this order", () => {
    const own = join(folder, "own", "santinela");
    mkdirSync(own, { recursive: true });
    for (const [path, port] of [
      [join(own, "santinela.yaml"), 1],
      [join(folder, "env.yaml"), 2],
      [file, 3],
    ] as const)
      writeFileSync(path, `http: { port: ${port} }\n`);
    const env = { XDG_CONFIG_HOME: join(folder, "own") };
    expect(loadConfiguration({ env, cwd: folder }).http.port).toBe(1);
    expect(loadConfiguration({ env: { ...env, SANTINELA_CONFIG: "env.yaml" }, cwd: folder }).http.port).toBe(
      2,
    );
    expect(
      loadConfiguration({ file, env: { ...env, SANTINELA_CONFIG: "env.yaml" }, cwd: folder }).http.port,
    ).toBe(3);
  });

  test("keeps its data in the state directory under systemd", () => {
    expect(load("{}", { STATE_DIRECTORY: "/var/lib/santinela" }).dataDir).toBe("/var/lib/santinela");
    expect(load("dataDir: data\n", { STATE_DIRECTORY: "/var/lib/santinela" }).dataDir).toBe(
      join(folder, "data"),
    );
  });
});

test("a name on several lines becomes one line, and its file stays valid", () => {
  const { site, zones } = load(`site:
  name: |
    Hala Nord
    \tcorp B
zones:
  - name: |
      Ușa
      principală
    id: a
    kind: intrusion
    objective: { type: obiective/cladiri, id: 1 }
    input: { simulated: true }
`);
  expect([site.name, zones[0]?.name]).toEqual(["Hala Nord corp B", "Ușa principală"]);
  expect(load('site: { name: " Hala  Nord " }\n').site.name).toBe(" Hala  Nord ");
});

test("site and dispatch centre of the system keep their data where their units have them, for commands too", () => {
  const dataDirOf = (file: string, text: string): string =>
    readConfiguration({ file, text }, { env: {}, cwd: "/" }).dataDir;
  expect(dataDirOf("/etc/santinela/santinela.yaml", "{}")).toBe("/var/lib/santinela");
  expect(readFileSync("systemd/santinela.service", "utf8")).toMatch(/^StateDirectory=santinela$/m);
  expect(dataDirOf("/etc/santinela/centre.yaml", "{}")).toBe("/var/lib/santinela-centre");
  expect(dataDirOf("/etc/santinela/centre.yaml", "dataDir: /srv/centre\n")).toBe("/srv/centre");
  expect(dataDirOf("/etc/other/centre.yaml", "{}")).toBe("/etc/other/var");
  const unit = readFileSync("systemd/santinela-centre.service", "utf8");
  expect(unit).toMatch(/^StateDirectory=santinela-centre$/m);
  expect(unit).toMatch(/^Environment=SANTINELA_CONFIG=\/etc\/santinela\/centre\.yaml$/m);
});

test("warns of data where the services of the package may not write, until their drop-ins name the place", () => {
  const file = "/etc/santinela/santinela.yaml";
  const warningsOf = (text: string, path = file): readonly string[] =>
    readConfiguration({ file: path, text }, { env: {}, cwd: "/" }).warnings;
  expect(warningsOf("dataDir: /mnt/ssd/santinela\n")).toEqual([
    expect.stringMatching(/^dataDir is \/mnt\/ssd\/santinela, .* Mount the disk at \/var\/lib\/santinela /),
  ]);
  expect(warningsOf("dataDir: /srv/centre\n", "/etc/santinela/centre.yaml")).toHaveLength(1);
  expect(warningsOf("dataDir: /mnt/ssd/santinela\n", "/home/ana/santinela.yaml")).toEqual([]);
  expect(warningsOf("dataDir: /var/lib/santinela\n")).toEqual([]);
  expect(warningsOf("dataDir: /var/lib/santinela\n", "/etc/santinela/centre.yaml")).toEqual([]);
  const units = temporaryFolder();
  mkdirSync(join(units, "santinela-backup.service.d"));
  expect(directoryWarnings(file, "/mnt/ssd/santinela", units)).toHaveLength(1);
  writeFileSync(
    join(units, "santinela-backup.service.d", "data.conf"),
    "[Service]\n# ReadWritePaths=/mnt/ssd/santinela\n",
  );
  expect(directoryWarnings(file, "/mnt/ssd/santinela", units)).toHaveLength(1);
  const page = readFileSync("docs/installing.md", "utf8");
  const [, shown = ""] =
    /```ini\n(# \/etc\/systemd\/system\/santinela-backup\.service\.d\/data\.conf\n[^]*?)```/.exec(page) ?? [];
  writeFileSync(join(units, "santinela-backup.service.d", "data.conf"), shown);
  expect(directoryWarnings(file, "/mnt/ssd/santinela", units)).toEqual([]);
});

test("does not miss a credential of systemd that only the service has, for a command without passwords", () => {
  const text = "upstream: { baseUrl: 'https://c.example', email: a@b.example }\n";
  const units = temporaryFolder();
  const isElsewhere = (name: string): boolean => isCredentialOfService(name, units);
  const read = (): Config => readConfiguration({ file, text }, { env: {}, cwd: folder, isElsewhere });
  expect(read).toThrow(/upstream: passwordFile is missing/);
  mkdirSync(join(units, "santinela.service.d"));
  const dropIn = readFileSync("systemd/credentials.conf", "utf8");
  writeFileSync(join(units, "santinela.service.d", "credentials.conf"), dropIn);
  expect(read().upstream).toMatchObject({ baseUrl: "https://c.example", password: "" });
  expect(isCredentialOfService("metrics-token", units)).toBe(false);
  const more =
    "[Service]\n# LoadCredential=token-a:/x\n# \\\nLoadCredential= \\\n; token-b\n  metrics-token:/x\nSetCredential=other:\\\n";
  writeFileSync(join(units, "santinela.service.d", "more.conf"), more);
  writeFileSync(join(units, "santinela.service.d", "off.conf.bak"), "[Service]\nLoadCredential=token-c:/x\n");
  const named = ["metrics-token", "other", "token-a", "token-b", "token-c"];
  expect(named.filter((name) => isCredentialOfService(name, units))).toEqual(["metrics-token", "other"]);
});

describe("the environment", () => {
  test("overrides the file, whatever the case and underscores of its names", () => {
    const { http, site, upstream } = load(
      "http: { port: 1 }\nupstream: { baseUrl: http://a, email: a@b, passwordFile: ./pw }\n",
      {
        SANTINELA_HTTP__PORT: "8081",
        SANTINELA_SITE__NAME: "12",
        SANTINELA_UPSTREAM__BASE_URL: "http://b",
        SANTINELA_CONFIG: "ignored",
        SANTINELA_FAILPOINT: "x",
      },
    );
    expect([http.port, upstream?.baseUrl]).toEqual([8081, "http://b"]);
    expect(site.name).toBe("12");
  });

  test("can read a value from a file, and creates a missing section", () => {
    writeFileSync(join(folder, "ref"), "hala-nord\n");
    expect(
      load("{}", { SANTINELA_SITE__REF_FILE: join(folder, "ref"), SANTINELA_MQTT__LISTEN__PORT: "0" }),
    ).toMatchObject({
      site: { ref: "hala-nord" },
      mqtt: { mode: "built-in", port: 0 },
    });
  });

  test("is named in the error", () => {
    expect(refusal("{}", { SANTINELA_HTTP__PORT: "eighty" })).toBe(
      'SANTINELA_HTTP__PORT: http.port: must be a whole number, not "eighty"',
    );
    // In a section that is not in the file.
    expect(refusal("http: { port: 1 }", { SANTINELA_UPSTREAM__EMAIL: "a@b" })).toMatch(
      /^SANTINELA_UPSTREAM__EMAIL: upstream: baseUrl is missing/,
    );
    expect(refusal("{}", { SANTINELA_SITE__REF_FILE: "/nowhere" })).toMatch(
      /^SANTINELA_SITE__REF_FILE: cannot read \/nowhere/,
    );
  });

  test("gives the passwords as systemd credentials", () => {
    writeFileSync(join(folder, "upstream-password"), "from systemd");
    const { upstream } = load("upstream: { baseUrl: http://a, email: a@b }\n", {
      CREDENTIALS_DIRECTORY: folder,
    });
    expect(upstream?.password).toBe("from systemd");
  });
});

test.each([
  ["a plain value", "mqtt: off\n"],
  ["an alias", "site: &empty {}\nmqtt: *empty\n"],
  ["a text instead of sections", "hello\n"],
])("an environment variable below %s of the file is reported", (_what, yaml) => {
  expect(refusal(yaml, { SANTINELA_MQTT__URL: "mqtt://127.0.0.1" })).toMatch(
    /^SANTINELA_MQTT__URL: cannot set mqtt\.url: a parent of it is not a section in /,
  );
});

test("aliases are expanded, also for a hundred zones", () => {
  const zone = (id: number): string =>
    `  - { id: z${id}, name: Z, kind: intrusion, objective: *hall, input: { simulated: true } }\n`;
  const zones = Array.from({ length: 150 }, (_, id) => zone(id + 1)).join("");
  const first =
    "  - { id: z0, name: Z, kind: fire, objective: &hall { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n";
  expect(load(`zones:\n${first}${zones}`).zones.at(-1)?.objective).toMatchObject({ id: 1 });
});

test("of a section with thousands of wrong keys the first errors are named", { timeout: 60_000 }, () => {
  const read = (text: string): unknown => readConfiguration({ file: null, text }, { env: {}, cwd: "/" });
  const sites = Array.from({ length: 5_000 }, (_, at) => `    s${at}: { silentS: 900 }\n`).join("");
  expect(read(`fleet:\n  sites:\n${sites}`)).toMatchObject({ role: "site" });
  const lines = (text: string): string[] => {
    try {
      read(text);
      return [];
    } catch (error) {
      return messageOf(error).split("\n");
    }
  };
  expect(lines(`${sites.trimEnd()}\n`.replaceAll("    ", ""))).toHaveLength(200);
  // With all errors copied for each entry, these took minutes.
  expect(lines(`zones:\n${"- { input: {} }\n".repeat(40_000)}`)).toHaveLength(200);
  const twice = lines("a: 1\n".repeat(5_000));
  expect(twice).toHaveLength(50);
  expect(twice[0]).toContain(":2:1: invalid YAML: a is set twice, first in line 1. Keep one of them");
});
