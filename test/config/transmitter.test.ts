import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import { changesOf } from "../../src/config/reload.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder, "receiver.key"), "ab".repeat(16), { mode: 0o600 });
});

const load = (yaml: string): Config => {
  const file = join(folder, "santinela.yaml");
  writeFileSync(file, yaml);
  return loadConfiguration({ file, env: {}, cwd: folder });
};
const transmitter = (options: string): string => `upstreams: [ { dc09: { account: "12ab", ${options} } } ]\n`;
const KEY = "keyFile: receiver.key";
const RECEIVERS = "receivers: [ { host: receiver.example } ]";

describe("the transmitter to monitoring receivers", () => {
  test("is off by default, and has its defaults otherwise", () => {
    expect(load("{}").upstreams).toEqual([]);
    expect(load(transmitter(`${KEY}, ${RECEIVERS}`)).upstreams).toEqual([
      {
        account: "12AB",
        key: "AB".repeat(16),
        receiverNumber: null,
        line: "0",
        receivers: [{ host: "receiver.example", port: 12_128, transport: "tcp", pollS: 60 }],
        replyS: 10,
        testH: 0,
        numbering: { format: "contact-id", partition: 1, zones: [] },
      },
    ]);
  });

  test.each([
    ["SP6", 6],
    ["SP4", 60],
    ["0", 0],
  ])("supervises a receiver with the reporting time %s every %i s", (pollS, seconds) => {
    const { upstreams } = load(transmitter(`${KEY}, receivers: [ { host: a, pollS: ${pollS} } ]`));
    expect(upstreams[0]?.receivers[0]?.pollS).toBe(seconds);
  });

  test.each([
    ["neither a key nor plain", RECEIVERS, /keyFile or plain: true is required/],
    ["both a key and plain", `${KEY}, plain: true, ${RECEIVERS}`, /keyFile or plain: true is required/],
    ["no receiver", `${KEY}, receivers: []`, /receivers/],
    ["a receiver twice", `${KEY}, receivers: [ { host: a }, { host: a } ]`, /duplicate receiver a/],
    ["a zone twice", `${KEY}, ${RECEIVERS}, zones: [ { zone: a }, { zone: a } ]`, /duplicate zone a/],
    [
      "a number twice",
      `${KEY}, ${RECEIVERS}, zones: [ { zone: a, number: 1 }, { zone: b, number: 1 } ]`,
      /number 1 is already used by zone a/,
    ],
    ["a code of two digits", `${KEY}, ${RECEIVERS}, zones: [ { zone: a, code: "13" } ]`, /code/],
    [
      "a code of Contact ID with SIA codes",
      `${KEY}, ${RECEIVERS}, codes: sia, zones: [ { zone: a, code: "131" } ]`,
      /zones\[0\]\.code: 131 is no code of codes: sia\. Use two letters such as ZA/,
    ],
    [
      "a SIA code with Contact ID",
      `${KEY}, ${RECEIVERS}, zones: [ { zone: a, code: "ZA" } ]`,
      /zones\[0\]\.code: ZA is no code of codes: contact-id\. Use three digits/,
    ],
    [
      "a SIA code that is not of an alarm",
      `${KEY}, ${RECEIVERS}, codes: sia, zones: [ { zone: a, code: "CL" } ]`,
      /code/,
    ],
    ["a missing key", `keyFile: other.key, ${RECEIVERS}`, /other\.key does not exist/],
  ])("with %s is rejected", (_name, options, message) => {
    expect(() => load(transmitter(options))).toThrow(message);
  });

  test("must not report to this daemon", () => {
    const own =
      'dc09: { accounts: [ { account: "1234", keyFile: receiver.key, objective: { type: obiective/cladiri, id: 1 } } ] }\n';
    expect(() => load(own + transmitter(`${KEY}, receivers: [ { host: 127.0.0.1 } ]`))).toThrow(
      /report to itself/,
    );
  });

  test("without encryption is a warning", () => {
    expect(load(transmitter(`plain: true, ${RECEIVERS}`)).warnings).toEqual([
      expect.stringContaining("upstreams[0].dc09.plain"),
    ]);
  });

  test("with a zone that the site does not have is a warning, unless an alarm panel may create it", () => {
    const zones = ["hall", "hal", "dc09-1234-7-fire", "dc09-99ff-7-fire", "dc09-1234-fire"];
    const listed = zones.map((zone) => `{ zone: ${zone} }`).join(", ");
    const { warnings } = load(
      `zones: [ { id: hall, name: Hall, kind: fire, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } } ]\n` +
        'dc09: { accounts: [ { account: "1234", keyFile: receiver.key, objective: { type: obiective/cladiri, id: 1 } } ] }\n' +
        transmitter(`${KEY}, ${RECEIVERS}, zones: [ ${listed} ]`),
    );
    expect(warnings.flatMap((warning) => /has the id (\S+),/.exec(warning)?.[1] ?? [])).toEqual([
      "hal",
      "dc09-99ff-7-fire",
      "dc09-1234-fire",
    ]);
  });

  test("is exchanged at a reload", () => {
    const next = load(transmitter(`${KEY}, ${RECEIVERS}`));
    expect(changesOf(load("{}"), next)).toMatchObject({ applied: ["upstreams"], needsRestart: [] });
  });
});
