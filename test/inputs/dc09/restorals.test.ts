import { describe, expect, test } from "vitest";
import type { AlarmPanelAccount } from "../../../src/domain/alarm-panel.ts";
import { siaMeaning } from "../../../src/inputs/dc09/sia-code.ts";
import type { Zone } from "../../../src/domain/zone.ts";
import type { AlarmPanel } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

let panel: AlarmPanel;
async function started(
  zones: readonly Zone[] = [],
  account: Partial<AlarmPanelAccount> = {},
): Promise<Dc09Site> {
  const site = await Dc09Site.start([alarmPanelAccount("1234", account)], zones);
  panel = site.panel("1234");
  return site;
}

/** Sends SIA data or Contact ID events, each as a message of its own. */
async function report(here: Dc09Site, ...events: readonly string[]): Promise<void> {
  for (const event of events) {
    here.clock.advance(1_000);
    const reply = event.startsWith("N") ? await panel.sia(event) : await panel.contactId(event);
    expect(reply, event).toMatchObject({ token: "ACK" });
  }
}

const troubles = (here: Dc09Site): string[] =>
  here.conditions.filter((condition) => /^alarm-panel-(?:trouble|bypass)/.test(condition));

/** Each row: what begins, and every code that ends it. From the data codes of SIA DC-03 and the lists of makers. */
const ENDS: readonly (readonly [begins: string, ends: string])[] = [
  ["AT", "AR"],
  ["YT", "YR"],
  ["YM", "YR"],
  ["YP", "YQ"],
  ["YI", "YJ"],
  ["YA", "YH"],
  ["YC", "YK"],
  ["YS", "YK"],
  ["RT", "YK"],
  ["YX", "YZ"],
  ["YF", "YZ"],
  ["YU", "YZ"],
  ["LT", "LR"],
  ["NT", "NR"],
  ["NC", "NR"],
  ["XQ", "XH"],
  ["EM", "EN"],
  ["ET", "ER"],
  ["EP", "ER"],
  ["IA", "IR"],
  ["OU", "OV"],
  ["AS", "AN"],
  ["NA", "NS"],
  ["GF", "GK"],
  ["DT", "DR"],
  ["DJ", "DR"],
  ["DM", "DR"],
  ["DM", "DH"],
  ["JA", "JC"],
  ["BT", "BJ"],
  ["BT", "BR"],
  ["BS", "BJ"],
  ["BS", "BR"],
  ["BD", "BE"],
  ["BD", "BR"],
  ["FT", "FJ"],
  ["FT", "FR"],
  ["FS", "FV"],
  ["FS", "FR"],
  ["FS", "FJ"],
  ["FW", "FQ"],
  ["FW", "FR"],
  ["GS", "GR"],
  ["GT", "GJ"],
  ["QS", "QR"],
  ["UT", "UJ"],
  ["UT", "UR"],
  ["BB", "BU"],
  ["FB", "FU"],
  ["TB", "TU"],
];

/** Faults of a point: without a zone of its number they are a condition of the alarm panel. */
const POINT_ENDS: readonly (readonly [begins: string, ends: string])[] = [
  ["TA", "TR"],
  ["TA", "TH"],
  ["TT", "TJ"],
  ["TT", "TR"],
  ["SM", "TR"],
  ["ES", "EJ"],
  ["XS", "XJ"],
  ["XT", "XR"],
  ["XL", "XC"],
  ["BZ", "BR"],
  ["FZ", "FR"],
  ["UY", "UR"],
  ["EZ", "BR"],
  ["CM", "BR"],
  ["XM", "UR"],
];

describe("what an alarm panel reports ends", () => {
  test.each(ENDS)("%s with %s, as a condition", async (begins, ends) => {
    const here = await started([], { zones: "declared" });
    await report(here, `Nri1/${begins}07`);
    expect(troubles(here)).toEqual([expect.stringMatching(`/1234 ${begins} 1/7$`)]);
    await here.startAgain();
    await report(here, `Nri1/${ends}07`);
    expect(troubles(here)).toEqual([]);
  });

  test.each(POINT_ENDS)("%s with %s, as the fault of a zone and as a condition", async (begins, ends) => {
    const hall = zoneOf({ id: "hall", kind: "motion", input: { dc09: "1234", zone: 7 } });
    const here = await started([hall], { zones: "declared" });
    const faults = (): string[] => here.journal.faults.list().map(({ zoneId }) => zoneId);
    await report(here, `Nri1/${begins}07`, `Nri1/${begins}09`);
    expect([...faults(), ...troubles(here)]).toEqual(["hall", expect.stringMatching(`/1234 ${begins} 1/9$`)]);
    await report(here, `Nri1/${ends}07`, `Nri1/${ends}09`);
    expect([...faults(), ...troubles(here)]).toEqual([]);
  });

  test.each([...ENDS, ...POINT_ENDS])("%s with %s, as a zone of its code", async (begins, ends) => {
    const fault = zoneOf({ id: "fault", kind: "technical", input: { dc09: "1234", codes: [begins] } });
    const here = await started([fault], { zones: "declared" });
    await report(here, `Nri1/${begins}07`);
    expect(here.contactOf("fault")).toBe("open");
    await report(here, `Nri1/${ends}07`);
    expect(here.contactOf("fault")).toBe("normal");
  });

  test.each([
    ["BA", "BR"],
    ["BA", "BH"],
    ["BV", "BR"],
    ["BM", "BR"],
    ["BG", "BH"],
    ["UG", "UR"],
    ["UX", "UR"],
    ["EA", "BR"],
    ["EA", "UR"],
    ["DF", "DR"],
    ["DL", "DR"],
    ["DL", "DH"],
    ["FM", "FR"],
    ["KA", "KR"],
    ["SA", "SH"],
    ["QA", "QR"],
  ])("%s with %s, as a zone of its number and as one of its code", async (begins, ends) => {
    const coded = zoneOf({ id: "coded", kind: "technical", input: { dc09: "1234", codes: [begins] } });
    for (const zones of [[], [coded]]) {
      const here = await started(zones);
      await report(here, `Nri1/${begins}07`);
      const zoneId = here.trips[0]?.zoneId ?? "";
      expect(here.contactOf(zoneId)).toBe("open");
      await report(here, `Nri1/${ends}07`);
      expect(here.contactOf(zoneId)).toBe("normal");
    }
  });

  test("every trouble, tamper, battery and bypass of the table has a code, or an opening or closing, that ends it", () => {
    const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const codes = letters.flatMap((first) => letters.map((second) => first + second));
    const ended = new Set(
      codes.flatMap((code) => {
        const meaning = siaMeaning(code);
        return meaning?.change === "restored" ? meaning.bases : [];
      }),
    );
    const lasting = codes.filter((code) => {
      const { change, meaning } = siaMeaning(code) ?? {};
      return change === "new" && meaning && !["alarm", "note", "test"].includes(meaning.what);
    });
    expect(lasting.length).toBeGreaterThan(100);
    const hasEnd = (code: string): boolean => {
      const { meaning } = siaMeaning(code) ?? {};
      return ended.has(code) || (meaning !== undefined && "endsAt" in meaning);
    };
    expect(lasting.filter((code) => !hasEnd(code))).toEqual([]);
  });
});

describe("the end of a report", () => {
  test("in Contact ID is that of its code, and a battery that is in order is not missing either", async () => {
    const here = await started();
    await report(here, "1301 00 000", "1311 00 000", "3302 00 000");
    expect(troubles(here)).toEqual([expect.stringContaining("1234 301")]);
    await report(here, "3301 00 000");
    expect(troubles(here)).toEqual([]);
    await report(here, "1311 00 000", "3311 00 000");
    expect(troubles(here)).toEqual([]);
  });

  test.each([
    ["NAT00", "NAR"],
    ["NAT", "NAR00"],
    ["NAT3", "NAR"],
  ])("%s is %s, because a number may be absent", async (begins, ends) => {
    const here = await started();
    await report(here, begins);
    expect(troubles(here)).toHaveLength(1);
    await report(here, ends);
    expect(troubles(here)).toEqual([]);
  });

  test("of one number is not that of another, nor of what has no number", async () => {
    const here = await started();
    await report(here, "NET1", "NET2", "NET", "NER2");
    expect(troubles(here)).toEqual([
      expect.stringMatching(/1234 ET 1$/),
      expect.stringMatching(/1234 ET -$/),
    ]);
    await report(here, "NER");
    expect(troubles(here)).toEqual([expect.stringMatching(/1234 ET 1$/)]);
  });

  test("of one partition is not that of the zone with the same number in another, also after a restart", async () => {
    const here = await started();
    await report(here, "1570 01 004", "1570 02 004", "1570 03 004", "1570 04 004");
    expect(troubles(here)).toHaveLength(4);
    await report(here, "3570 02 004");
    await here.startAgain();
    expect(troubles(here)).toEqual(["1/4", "3/4", "4/4"].map((of) => `alarm-panel-bypass/1234 570 ${of}`));
    await report(here, "1401 03 002", "3570 04 004");
    expect(troubles(here)).toEqual(["alarm-panel-bypass/1234 570 1/4"]);
    await report(here, "1570 02 004", "3570 00 004");
    expect(troubles(here)).toEqual([]);
    await here.startAgain();
    expect(troubles(here)).toEqual([]);
  });

  test("beyond 256 of an account is not a condition of its own, but one says that there are more", async () => {
    const here = await started();
    const numbers = Array.from({ length: 258 }, (_, index) => String(index + 1).padStart(3, "0"));
    await report(here, ...numbers.slice(0, 256).map((number) => `1380 01 ${number}`));
    expect(troubles(here)).toHaveLength(256);
    await report(here, "1570 01 257", "1380 01 258", "1380 01 258");
    const further = "alarm-panel-trouble/1234 # -";
    expect(troubles(here).filter((one) => !one.includes(" 380 "))).toEqual([further]);
    await here.startAgain();
    await report(here, ...numbers.slice(0, 255).map((number) => `3380 01 ${number}`));
    expect(troubles(here)).toContain(further);
    await report(here, "3380 01 256");
    expect(troubles(here)).toEqual([]);
    await here.startAgain();
    expect(troubles(here)).toEqual([]);
  });

  test.each([
    ["a zone that only another partition has reported", "1570 01 004", "3570 02 004"],
    ["a trouble of the alarm panel, which has no zone", "1301 01 000", "3301 02 000"],
    ["all zones, without a number", "1570 01 004", "3570 02 000"],
  ])("of %s is not missed because of its partition", async (_name, begins, ends) => {
    const here = await started();
    await report(here, begins);
    expect(troubles(here)).toHaveLength(1);
    await report(here, ends);
    expect(troubles(here)).toEqual([]);
  });

  test("of a zone by its code restores the zone of its number too", async () => {
    const trouble = zoneOf({ id: "trouble", kind: "technical", input: { dc09: "1234", codes: ["BT"] } });
    const hall = zoneOf({ id: "hall", kind: "motion", input: { dc09: "1234", zone: 4 } });
    const here = await started([trouble, hall]);
    await report(here, "Nri1/BT04", "Nri1/BA04", "Nri1/BR04");
    expect([here.contactOf("trouble"), here.contactOf("hall")]).toEqual(["normal", "normal"]);
  });

  test("a watchdog reset happens once and is no condition", async () => {
    const here = await started();
    await report(here, "NYW");
    expect(troubles(here)).toEqual([]);
    expect(here.events).toMatchObject([{ detail: { code: "YW", what: "note" } }]);
  });
});

test("a closing arms the gates although a zone has its code", async () => {
  const opened = zoneOf({ id: "opened", kind: "technical", input: { dc09: "1234", codes: ["401", "OP"] } });
  const hall = zoneOf({
    id: "hall",
    kind: "motion",
    input: { dc09: "1234", zone: 4 },
    gate: { dc09: "1234", partition: 1 },
  });
  const here = await started([opened, hall]);
  await report(here, "1401 01 003", "1130 01 004", "3130 01 004");
  const ofHall = (): string[] =>
    here.trips.filter(({ zoneId }) => zoneId === "hall").map(({ state }) => state);
  expect(ofHall()).toEqual(["gated"]);
  await report(here, "3401 01 003", "1130 01 004", "3130 01 004");
  expect(ofHall()).toEqual(["gated", "waiting"]);
  await report(here, "Nri1/OP03", "Nri1/BA04", "Nri1/BR04", "Nri1/CL03", "Nri1/BA04");
  expect(ofHall()).toEqual(["gated", "waiting", "gated", "waiting"]);
});
