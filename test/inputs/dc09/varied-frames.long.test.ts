import { createCipheriv } from "node:crypto";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { wire } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { seededRandom } from "../../support/seeded-random.ts";

/*
 * Frames put together from the forms that makers give each of their parts. Whatever the combination, each is acknowledged and is a trip
 * of the zone that it names.
 */

const ACCOUNTS = ["123", "1234", "0012", "A1B2C3", "00000042", "1234567890ABCDEF"];
const KEYS = [16, 24, 32].map((bytes) => Buffer.alloc(bytes, 0x5a));

/** What is between the sequence and the first bracket. */
const HEADS: readonly ((account: string) => string)[] = [
  (account) => `R0L0#${account}`,
  (account) => `L0#${account}`,
  (account) => `R1L1#${account}`,
  (account) => `R00C001L00D001#${account}`,
  (account) => `RabcL0#${account.toLowerCase()}`,
  (account) => `R0L#${account}`,
  (account) => `L#${account}`,
  (account) => `#${account}`,
  (account) => `R${account}L${account}#${account}`,
];
/** Of messages that are not encrypted, the account may be only in the data. */
const HEADS_WITHOUT_ACCOUNT = ["R0L0", "L0#", "R0L0#", ""];

/** What is before the data. */
const ACCOUNTS_IN_DATA: readonly ((account: string) => string)[] = [
  (account) => `#${account}|`,
  (account) => `#${account.toLowerCase()}|`,
];
const OTHER_ACCOUNTS_IN_DATA: readonly ((account: string) => string)[] = [
  (account) => `${account}|`,
  () => "|",
  () => "#|",
];

/** Data of a burglary of a zone; three digits. */
const CONTACT_ID: readonly ((zone: string) => string)[] = [
  (zone) => `1130 01 ${zone}`,
  (zone) => `1130 00 ${zone}`,
  (zone) => `113001${zone}`,
  (zone) => `1130 01 0${zone}`,
  (zone) => `1130  01  ${zone}`,
  (zone) => ` 1130 01 ${zone} `,
  (zone) => `18 1130 01 ${zone}`,
  (zone) => `E130 01 ${zone}`,
  (zone) => `113A A1 ${zone.replaceAll("0", "A")}`,
  (zone) => `1130 1 ${Number(zone)}`,
  (zone) => `1130 -- ${zone}`,
];
const SIA: readonly ((zone: string) => string)[] = [
  (zone) => `Nri1/BA${zone}`,
  (zone) => `Nri01/BA0${zone}`,
  (zone) => `NBA${zone}`,
  (zone) => `BA${zone}`,
  (zone) => `Nri1BA${zone}`,
  (zone) => `Nri1/BA ${zone}`,
  (zone) => `Nri1/BA${zone}*'Hol'NM`,
  (zone) => `Nri1/BA${zone}^Hol, parter^`,
  (zone) => `Nri1/BA${zone}"Hol"`,
  (zone) => `Nri1/BA${zone}*Hol/Debara*`,
  (zone) => `Nri1/BA${zone}|AHol`,
  (zone) => `Nid501/pi003/ri1/BA${zone}`,
  (zone) => `Nda11-20-26/ti21:30/ri1/BA${zone}`,
  (zone) => `Nti21:30:15/ri1/BA${zone}`,
  (zone) => `N/ri1/BA${zone}`,
  (zone) => `ONri1/BA${zone}`,
];

/** Data of burglaries of two zones. */
const SIA_OF_TWO: readonly ((first: string, second: string, account: string) => string)[] = [
  (first, second) => `Nri1/BA${first}/BA${second}`,
  (first, second) => `Nri1/BA${first}*'Hol'NM/BA${second}*'Pod'NM`,
  (first, second) => `Nri1/BA${first}^Hol^|Nri2/BA${second}^Pod^`,
  (first, second) => `Nri1/BA${first}/${second}`,
  (first, second) => `Nri1BA${first}BA${second}`,
  (first, second, account) => `NBA${first}*'Hol'NM][#${account}|NBA${second}*'Pod'NM`,
];
const CONTACT_ID_OF_TWO: typeof SIA_OF_TWO = [
  (first, second, account) => `1130 01 ${first}][#${account}|1131 02 ${second}`,
  (first, second) => `1130 01 ${first}] [#|1130 01 ${second}`,
];

const EXTENDED = [
  "",
  "",
  "[H21:29:58,11-20-2026]",
  "[X026E06.1025][Y44N25.60]",
  "[IHol [parter]]",
  '[I"Hol [parter]"][V"http://[fe80::1]/x"]',
  "[M001122AABBCC]",
  "[]",
];
/** 21:30:00 is the time of the site. */
const TIMES = ["_21:30:00,11-20-2026", "_21:29:45,11-20-2026", "_21:30:00,11-20-2026  "];
/** Of messages that are not encrypted. */
const OTHER_TIMES = ["", "_", " ", " _21:30:00,11-20-2026"];

const DIALECTS = ["standard", "standard", "covers-cr", "raw-checksum", "nul"] as const;

const random = seededRandom(26);
function oneOf<Value>(values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("no value to choose from");
  return value;
}

interface Frame {
  readonly zones: readonly number[];
  readonly bytes: Buffer;
  readonly text: string;
}

function frameOf(account: string, zone: number, sequence: number, key: Buffer | undefined): Frame {
  const isContactId = random() < 0.5;
  const token = isContactId ? "ADM-CID" : "SIA-DCS";
  const hasOwn = key !== undefined || random() < 0.8;
  const head = hasOwn ? oneOf(HEADS)(account) : oneOf(HEADS_WITHOUT_ACCOUNT);
  const inData = oneOf(hasOwn ? [...ACCOUNTS_IN_DATA, ...OTHER_ACCOUNTS_IN_DATA] : ACCOUNTS_IN_DATA)(account);
  const zones = random() < 0.25 ? [zone, zone + 30] : [zone];
  const [first = "", second] = zones.map((number) => String(number).padStart(3, "0"));
  const data =
    second === undefined
      ? oneOf(isContactId ? CONTACT_ID : SIA)(first)
      : oneOf(isContactId ? CONTACT_ID_OF_TWO : SIA_OF_TWO)(first, second, account);
  const time = oneOf(key ? TIMES : [...TIMES, ...OTHER_TIMES]);
  const content = `${inData}${data}]${oneOf(EXTENDED)}${time}`;
  const start = `"${key ? "*" : ""}${token}"${String(sequence).padStart(4, "0")}${head}[`;
  const bytes = wire(start + (key ? encrypted(content, key) : content), oneOf(DIALECTS));
  const isSmall = random() < 0.3 && bytes[9] === 0x22;
  return { zones, bytes: isSmall ? inSmallLetters(bytes) : bytes, text: start + content };
}

/** Pads before the bar as the standard says, or behind the time as libraries for AES do; in small letters at times. */
function encrypted(content: string, key: Buffer): string {
  const missing = 15 - (Buffer.byteLength(content) % 16);
  const isBehind = random() < 0.3;
  const padding = isBehind ? "" : oneOf(["P", " ", "]", "["]).repeat(missing);
  const behind = isBehind ? oneOf(["\0", String.fromCharCode(missing), " "]).repeat(missing) : "";
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, Buffer.alloc(16)).setAutoPadding(false);
  const digits = Buffer.concat([cipher.update(`${padding}|${content}${behind}`), cipher.final()]).toString(
    "hex",
  );
  return random() < 0.5 ? digits : digits.toUpperCase();
}

/** The checksum and the length. */
function inSmallLetters(frame: Buffer): Buffer {
  const start = frame.toString("latin1", 1, 9).toLowerCase();
  return Buffer.concat([frame.subarray(0, 1), Buffer.from(start, "latin1"), frame.subarray(9)]);
}

/** The token of the reply; undefined for none. */
function tokenOf(site: Dc09Site, bytes: Buffer): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(site.receiver.ports.tcp ?? 0, "127.0.0.1", () => socket.write(bytes));
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on("error", reject);
    socket.on("close", () => resolve(undefined));
    socket.on("data", (reply) => {
      resolve(/"\*?([A-Z]{3})"/.exec(reply.toString("latin1"))?.[1]);
      socket.destroy();
    });
  });
}

const CASES: readonly { readonly name: string; readonly key?: Buffer }[] = [
  { name: "plain" },
  ...KEYS.map((key) => ({ name: `encrypted with ${key.length * 8} bits`, key })),
];

test.each(CASES)(
  "frames of any maker, $name, are acknowledged, and each is a trip of its zones",
  async ({ key }) => {
    const options = key ? { key: key.toString("hex"), isPlain: false } : {};
    const site = await Dc09Site.start(ACCOUNTS.map((account) => alarmPanelAccount(account, options)));
    const failed: string[] = [];
    for (let round = 1; round <= 20; round += 1)
      for (const account of ACCOUNTS) {
        const { zones, bytes, text } = frameOf(account, round, round, key);
        const before = site.trips.length;
        site.clock.advance(20);
        const token = await tokenOf(site, bytes);
        const tripped = site.trips.slice(before).map(({ zoneId }) => zoneId.split("-").slice(1, 3).join(" "));
        const expected = zones.map((zone) => `${account.toLowerCase()} ${zone}`);
        if (token !== "ACK" || tripped.join() !== expected.join())
          failed.push(`${text}: ${String(token)}, ${tripped.join()}`);
      }
    expect(failed).toEqual([]);
  },
);
