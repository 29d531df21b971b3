import { describe, expect, test } from "vitest";
import type { Zone } from "../../../src/domain/zone.ts";
import type { AlarmPanelAccount } from "../../../src/domain/alarm-panel.ts";
import { newAlarmPanelKey, wire, type AlarmPanel } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

const HALL = zoneOf({ id: "hall", kind: "motion", input: { dc09: "1234", zone: 4 } });
const YARD = zoneOf({ id: "yard", input: { dc09: "1234", zone: 5 } });
const SHOP = zoneOf({
  id: "shop",
  input: { dc09: "1234", zone: 6 },
  gate: { dc09: "1234", partition: 1 },
});

async function started(
  zones: readonly Zone[],
  options: Partial<AlarmPanelAccount> = {},
): Promise<{ here: Dc09Site; panel: AlarmPanel }> {
  const here = await Dc09Site.start([alarmPanelAccount("1234", options)], zones);
  return { here, panel: here.panel("1234") };
}

/** Lets the disk reject the states of gates only, so that the other writes of a commit are kept. */
function breakGateStates({ database }: Dc09Site): () => void {
  database.exec(`CREATE TRIGGER failing_write BEFORE INSERT ON gate_states
    BEGIN SELECT RAISE(ABORT, 'a bad block'); END`);
  return () => database.exec("DROP TRIGGER failing_write");
}

function tripsOf({ trips }: Dc09Site): string[] {
  return trips.map(({ zoneId }) => zoneId);
}

describe("a message with several events, of which one in the middle cannot be stored", () => {
  const MESSAGE = "Nri1/BA4/CL501/BA5";

  test("gets no reply, and each of its alarms is one trip after its repetitions", async () => {
    const { here, panel } = await started([HALL, YARD, SHOP]);
    const repair = breakGateStates(here);
    for (let repetition = 0; repetition < 3; repetition += 1)
      await here.sendUnstored((sender) => sender.sia(MESSAGE, "0007"));
    expect(tripsOf(here)).toEqual(["hall"]);
    repair();
    expect(await panel.sia(MESSAGE, "0007")).toMatchObject({ token: "ACK", sequence: "0007" });
    expect(await panel.sia(MESSAGE, "0007")).toMatchObject({ token: "ACK", sequence: "0007" });
    expect(tripsOf(here)).toEqual(["hall", "yard"]);
    expect(here.count("repeated")).toBe(1);
  });

  test("is stored once, also with a restart before its repetition", async () => {
    const { here, panel } = await started([HALL, YARD, SHOP]);
    const repair = breakGateStates(here);
    await here.sendUnstored((sender) => sender.sia(MESSAGE, "0007"));
    repair();
    await here.startAgain();
    expect(await panel.sia(MESSAGE, "0007")).toMatchObject({ token: "ACK" });
    await here.startAgain();
    expect(await panel.sia(MESSAGE, "0007")).toMatchObject({ token: "ACK" });
    expect(tripsOf(here)).toEqual(["hall", "yard"]);
  });

  test("and other messages in between, is continued and does not swallow a later one with its sequence", async () => {
    const { here, panel } = await started([HALL, YARD, SHOP]);
    const repair = breakGateStates(here);
    await here.sendUnstored((sender) => sender.sia(MESSAGE, "0007"));
    repair();
    expect(await panel.sia("Nri1/BR4", "0008")).toMatchObject({ token: "ACK" });
    expect(await panel.sia(MESSAGE, "0007")).toMatchObject({ token: "ACK" });
    expect(tripsOf(here)).toEqual(["hall", "yard"]);
    // The sequences have wrapped.
    here.clock.advance(90_000_000);
    expect(await panel.sia(MESSAGE, "0007")).toMatchObject({ token: "ACK" });
    expect(tripsOf(here)).toEqual(["hall", "yard", "hall", "yard"]);
  });
});

describe("a message with several blocks of data", () => {
  test("opens and restores the zones of each, with the text of each", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("001465")]);
    const panel = here.panel("001465");
    await panel.sia("NUA022", "0007");
    const frame = wire(
      `"SIA-DCS"0008R0075L0001#001465[#001465|NUA021*'hall'NM][#001465|NUR022][#001465|NFA023*'attic'NM]`,
    );
    expect(await panel.send(frame)).toMatchObject({ token: "ACK", sequence: "0008" });
    expect(await panel.send(frame)).toMatchObject({ token: "ACK" });
    expect(here.trips.map(({ signal }) => signal?.name)).toEqual([
      "Alarm panel 001465, zone 22",
      "hall (001465/21)",
      "attic (001465/23)",
    ]);
    expect(here.restores.map(({ zoneId }) => zoneId)).toEqual(["dc09-001465-22-intrusion"]);
  });

  test("of Contact ID is a trip for each that can be read, and is refused for the others, also when it is repeated", async () => {
    const { here, panel } = await started([HALL, YARD]);
    const frame = wire('"ADM-CID"0001L0#1234[#1234|hello][#1234|1130 01 004][#1234|1130 01 005][X026E06]');
    for (let repetition = 0; repetition < 2; repetition += 1)
      expect(await panel.send(frame)).toMatchObject({ token: "DUH" });
    expect(tripsOf(here)).toEqual(["hall", "yard"]);
    expect(here.conditions).toContain("alarm-panel-rejected/malformed 1234");
  });

  test("of which one is empty is acknowledged", async () => {
    const { here, panel } = await started([HALL]);
    const frame = wire('"ADM-CID"0001L0#1234[#1234|1130 01 004][#1234|]');
    expect(await panel.send(frame)).toMatchObject({ token: "ACK" });
    expect(tripsOf(here)).toEqual(["hall"]);
  });
});

describe("a message whose second event meets a disk that ends the whole transaction", () => {
  test("is stored with nothing or with all of it: no alarm is lost by a restart before its repetition", async () => {
    const { here, panel } = await started([HALL, YARD, SHOP]);
    here.database.exec(`CREATE TRIGGER failing_write BEFORE INSERT ON gate_states
      BEGIN SELECT RAISE(ROLLBACK, 'disk I/O error'); END`);
    await here.sendUnstored((sender) => sender.sia("Nri1/BA4/CL501/BA5", "0007"));
    here.database.exec("DROP TRIGGER failing_write");
    await here.startAgain();
    expect(await panel.sia("Nri1/BA4/CL501/BA5", "0007")).toMatchObject({ token: "ACK" });
    const stored = here.database.prepare("SELECT zone_id FROM trips ORDER BY seq").pluck().all();
    expect(stored).toEqual(["hall", "yard"]);
  });
});

describe("a message with an alarm of a configured zone and one of another, with zones: declared", () => {
  test("is a trip of the configured zone, and is refused, also when the panel repeats it", async () => {
    const { here, panel } = await started([HALL], { zones: "declared" });
    for (let repetition = 0; repetition < 2; repetition += 1)
      expect(await panel.sia("Nri1/BA99/BA4", "0001")).toMatchObject({ token: "DUH", sequence: "0001" });
    expect(tripsOf(here)).toEqual(["hall"]);
    expect(here.conditions).toContain("alarm-panel-rejected/undeclared-zone 1234");
  });

  test("is one trip however long the panel repeats it between its other messages", async () => {
    const { here, panel } = await started([HALL], { zones: "declared" });
    for (let repetition = 0; repetition < 8; repetition += 1) {
      expect(await panel.sia("Nri1/BA4/BA99", "0001")).toMatchObject({ token: "DUH" });
      await panel.sia("Nri1/BR4", "0002");
      here.clock.advance(300_000);
    }
    expect(tripsOf(here)).toEqual(["hall"]);
  });

  test("is acknowledged once both zones are configured, and each is one trip", async () => {
    const { here, panel } = await started([HALL], { zones: "declared" });
    await panel.sia("Nri1/BA4/BA5", "0001");
    await here.startAgain([HALL, YARD]);
    expect(await panel.sia("Nri1/BA4/BA5", "0001")).toMatchObject({ token: "ACK" });
    expect(tripsOf(here)).toEqual(["hall", "yard"]);
  });
});

describe("a message that names no partition", () => {
  const OF_PARTITION = zoneOf({ id: "hall", kind: "motion", input: { dc09: "1234", partition: 2, zone: 4 } });

  test.each([
    ["Contact ID", (panel: AlarmPanel) => panel.contactId("1130 00 004", "0001")],
    ["SIA with area 0", (panel: AlarmPanel) => panel.sia("Nri0/BA4", "0001")],
    ["SIA", (panel: AlarmPanel) => panel.sia("NBA4", "0001")],
  ])("in %s is a trip of the zone with its number in any partition", async (_form, send) => {
    const { here, panel } = await started([OF_PARTITION], { zones: "declared" });
    expect(await send(panel)).toMatchObject({ token: "ACK" });
    expect(tripsOf(here)).toEqual(["hall"]);
  });

  test("opens and closes the gates of all partitions", async () => {
    const { here, panel } = await started([SHOP]);
    await panel.contactId("1401 00 001", "0001");
    await panel.contactId("1130 00 006", "0002");
    await panel.contactId("3401 00 001", "0003");
    await panel.contactId("1130 00 006", "0004");
    expect(here.trips.map(({ state }) => state)).toEqual(["gated", "waiting"]);
  });
});

describe("a time that does not exist, of a panel whose clock was never set", () => {
  const TIMES = [
    "_00:00:00,00-00-2000",
    "_24:61:00,13-32-2026",
    "_--:--:--,--------",
    // Whatever was in the memory of the sender.
    "345678[] 2345678[] ",
    "022 0)9at",
  ];

  test.each(TIMES)("gets the right time as its reply: %s", async (time) => {
    const { here, panel } = await started([HALL]);
    const frame = wire(`"ADM-CID"0001L0#1234[#1234|1130 01 004]${time}`);
    expect(await panel.send(frame)).toMatchObject({ token: "NAK" });
    expect(here.conditions).toContain("alarm-panel-rejected/clock 1234");
    expect(await panel.contactId("1130 01 004", "0001")).toMatchObject({ token: "ACK" });
    expect(tripsOf(here)).toEqual(["hall"]);
  });

  test("in an encrypted message shows a right key, too", async () => {
    const key = newAlarmPanelKey(16);
    const time = "_00:00:00,00-00-2000";
    const { here } = await started([HALL], { key, isPlain: false });
    expect(await here.panel("1234", { key, time }).contactId("1130 01 004", "0001")).toMatchObject({
      token: "NAK",
    });
    expect(here.conditions).toEqual(["alarm-panel-rejected/clock 1234"]);
    const ignoring = await started([HALL], { key, isPlain: false, timestamps: "ignored" });
    const panel = ignoring.here.panel("1234", { key, time });
    expect(await panel.contactId("1130 01 004", "0001")).toMatchObject({ token: "ACK" });
    expect(tripsOf(ignoring.here)).toEqual(["hall"]);
  });

  test.each(TIMES)("is a trip with timestamps: ignored: %s", async (time) => {
    const { here, panel } = await started([HALL], { timestamps: "ignored" });
    const frame = wire(`"ADM-CID"0001L0#1234[#1234|1130 01 004]${time}`);
    expect(await panel.send(frame)).toMatchObject({ token: "ACK" });
    expect(await panel.send(frame)).toMatchObject({ token: "ACK" });
    expect(tripsOf(here)).toEqual(["hall"]);
  });
});
