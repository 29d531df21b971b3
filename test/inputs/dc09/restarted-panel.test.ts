import { describe, expect, test } from "vitest";
import type { AlarmPanelAccount } from "../../../src/domain/alarm-panel.ts";
import { newAlarmPanelKey, type AlarmPanel } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

/* An alarm panel that starts again begins its sequences again: within minutes the same event has the same sequence. */

const HALL = zoneOf({
  id: "hall",
  kind: "motion",
  input: { dc09: "1234", zone: 5 },
  gate: { dc09: "1234", partition: 1 },
});
const ALARM = "Nri1/BA05";
const RESTORAL = "Nri1/BR05";
const CLOSING = "Nri1/CL501";
const OPENING = "Nri1/OP501";
const KEY = newAlarmPanelKey(16);

async function started(options: Partial<AlarmPanelAccount> = {}) {
  const here = await Dc09Site.start([alarmPanelAccount("1234", options)], [HALL]);
  return { here, panel: here.panel("1234", options.key ? { key: options.key } : {}) };
}

/** Sends events with the next sequences from 0001 on, some seconds apart. */
async function sendFrom1(here: Dc09Site, panel: AlarmPanel, events: readonly string[]): Promise<void> {
  for (const [index, event] of events.entries()) {
    expect(await panel.sia(event, String(index + 1).padStart(4, "0"))).toMatchObject({ token: "ACK" });
    here.clock.advance(5_000);
  }
}

const statesOf = ({ trips }: Dc09Site): string[] => trips.map(({ state }) => state);

describe("an alarm panel that has started again", () => {
  test.each<[string, Partial<AlarmPanelAccount>]>([
    ["plain", {}],
    ["encrypted", { key: KEY, isPlain: false }],
    ["whose times are not checked", { timestamps: "ignored" }],
  ])("%s, trips its zone by the same alarm with the same sequence", async (_name, options) => {
    const { here, panel } = await started(options);
    await sendFrom1(here, panel, [ALARM, RESTORAL]);
    here.clock.advance(60_000);
    await sendFrom1(here, panel, [ALARM, RESTORAL]);
    expect(statesOf(here)).toEqual(["waiting", "waiting"]);
    expect(here.contactOf("hall")).toBe("normal");
    expect(here.count("repeated")).toBe(0);
  });

  test("an hour after its first alarm trips its zone by the same one, but by none within minutes", async () => {
    const { here, panel } = await started();
    await panel.sia(RESTORAL, "0417");
    for (const afterMs of [0, 20_000, 3_600_000]) {
      here.clock.advance(afterMs);
      await panel.sia(ALARM, "0001");
    }
    expect(statesOf(here)).toEqual(["waiting", "waiting"]);
  });

  test("and sends no times, trips its zone too, also after a restart of the daemon", async () => {
    const { here } = await started();
    const panel = here.panel("1234", { wallMs: undefined });
    await sendFrom1(here, panel, [ALARM, RESTORAL]);
    await here.startAgain();
    await sendFrom1(here, panel, [ALARM]);
    expect(statesOf(here)).toEqual(["waiting", "waiting"]);
  });

  test("arms by the same closing with the same sequence", async () => {
    const { here, panel } = await started();
    await sendFrom1(here, panel, [CLOSING, OPENING, CLOSING.replace("501", "502")]);
    await panel.sia(OPENING, "0004");
    here.clock.advance(60_000);
    await sendFrom1(here, panel, [CLOSING]);
    await panel.sia(ALARM, "0002");
    expect(statesOf(here)).toEqual(["waiting"]);
  });

  test("disarms by an opening that follows its closing", async () => {
    const { here, panel } = await started();
    await sendFrom1(here, panel, [CLOSING, OPENING]);
    here.clock.advance(60_000);
    await sendFrom1(here, panel, [CLOSING, OPENING]);
    await panel.sia(ALARM, "0003");
    expect(statesOf(here)).toEqual(["gated"]);
  });

  test("with its clock not set gets the time, and its alarm with the time trips the zone", async () => {
    const { here, panel } = await started();
    await sendFrom1(here, panel, [ALARM, RESTORAL]);
    here.clock.advance(60_000);
    const unset = here.panel("1234", { wallMs: () => Date.UTC(2000, 0, 1) });
    expect(await unset.sia(ALARM, "0001")).toMatchObject({ token: "NAK" });
    expect(await panel.sia(ALARM, "0001")).toMatchObject({ token: "ACK" });
    expect(statesOf(here)).toEqual(["waiting", "waiting"]);
  });
});

describe("an alarm panel that has started again, whose first message is not stored, trips its zone by the newest one", () => {
  const HOUR_MS = 3_600_000;
  type First = (panel: AlarmPanel) => Promise<unknown>;
  const byNull: First = (panel) => panel.send(panel.frame("NULL", "", "0001"));
  const ENCRYPTED = { key: KEY, isPlain: false };
  const DECLARED = { zones: "declared" } as const;

  test.each<[string, number, First, Partial<AlarmPanelAccount>]>([
    ["an opening that may be a late copy", 60_000, (panel) => panel.sia(OPENING, "0001"), {}],
    ["an encrypted one", 60_000, (panel) => panel.sia(OPENING, "0001"), ENCRYPTED],
    ["a supervision message", 60_000, byNull, {}],
    ["a supervision message, hours later", 5 * HOUR_MS, byNull, {}],
    ["an encrypted supervision message, hours later", 5 * HOUR_MS, byNull, ENCRYPTED],
    ["an alarm that is refused", 60_000, (panel) => panel.sia("Nri1/BA77", "0001"), DECLARED],
    ["a message that cannot be read", 60_000, (panel) => panel.sia("?", "0001"), {}],
  ])("%s", async (_name, afterMs, first, options) => {
    const { here, panel } = await started(options);
    await panel.sia(CLOSING, "0417");
    const run = async (): Promise<void> => {
      await first(panel);
      here.clock.advance(5_000);
      for (const copyAfterMs of [0, 20_000, 120_000]) {
        here.clock.advance(copyAfterMs);
        expect(await panel.sia(ALARM, "0002")).toMatchObject({ token: "ACK" });
      }
    };
    await run();
    here.clock.advance(afterMs);
    await run();
    expect(here.trips).toHaveLength(2);
  });

  test.each<[string, number, First, Partial<AlarmPanelAccount>]>([
    ["a supervision message", 60_000, byNull, {}],
    ["an encrypted supervision message, hours later", 5 * HOUR_MS, byNull, ENCRYPTED],
    ["an alarm that is refused", 60_000, (panel) => panel.sia("Nri1/BA77", "0001"), DECLARED],
  ])("also if the daemon starts again after it: %s", async (_name, afterMs, first, options) => {
    const { here, panel } = await started(options);
    await panel.sia(RESTORAL, "0416");
    await panel.sia(ALARM, "0002");
    here.clock.advance(afterMs);
    await first(panel);
    await here.startAgain();
    await panel.sia(ALARM, "0002");
    expect(here.trips).toHaveLength(2);
    await here.startAgain();
    await panel.sia(ALARM, "0002");
    expect(here.trips).toHaveLength(2);
  });

  test("with at most two writes for it, however many supervision messages come", async () => {
    const { here, panel } = await started();
    await panel.sia(ALARM, "0417");
    const stored = (): string[] => here.journal.alarmPanels.messages().map(({ hash }) => hash);
    const seen = new Set(stored());
    for (const sequence of [418, 419, 420, 1, 2, 3, 418, 1, 2]) {
      here.clock.advance(60_000);
      await panel.send(panel.frame("NULL", "", String(sequence).padStart(4, "0")));
      for (const hash of stored()) seen.add(hash);
    }
    expect(seen.size).toBe(3);
  });

  test("but not if its supervision messages only count on, or do not count", async () => {
    const { here, panel } = await started();
    await panel.sia(RESTORAL, "0006");
    await panel.sia(ALARM, "0007");
    for (const sequence of ["0008", "0000"]) {
      here.clock.advance(20_000);
      await panel.send(panel.frame("NULL", "", sequence));
      await panel.sia(ALARM, "0007");
    }
    expect(here.trips).toHaveLength(1);
  });

  test("but not by a recording, which has its time, nor by one of the message before", async () => {
    const { here, panel } = await started(ENCRYPTED);
    const opening = panel.frame("SIA-DCS", `#1234|${OPENING}`, "0001");
    await panel.send(opening);
    const alarm = panel.frame("SIA-DCS", `#1234|${ALARM}`, "0002");
    await panel.send(alarm);
    here.clock.advance(5_000);
    await panel.send(opening);
    await panel.sia(ALARM, "0002");
    await byNull(panel);
    await panel.send(alarm);
    expect(here.trips).toHaveLength(1);
  });
});

describe("a message that may be of an alarm panel that has started again, or a late copy with a new time,", () => {
  test("does not disarm", async () => {
    const { here, panel } = await started();
    await sendFrom1(here, panel, [OPENING, CLOSING]);
    expect(await panel.sia(OPENING, "0001")).toMatchObject({ token: "ACK" });
    await panel.sia(ALARM, "0003");
    expect(statesOf(here)).toEqual(["waiting"]);
  });

  test("does not restore a zone that is in alarm again", async () => {
    const { here, panel } = await started();
    await sendFrom1(here, panel, [RESTORAL, ALARM]);
    expect(await panel.sia(RESTORAL, "0001")).toMatchObject({ token: "ACK" });
    expect(here.contactOf("hall")).toBe("open");
  });

  test("with an opening beside its alarm trips the zone once and does not disarm, however often it arrives", async () => {
    const { here, panel } = await started();
    await sendFrom1(here, panel, ["Nri1/OP501/BA05", RESTORAL, CLOSING]);
    for (let copy = 0; copy < 3; copy += 1)
      expect(await panel.sia("Nri1/OP501/BA05", "0001")).toMatchObject({ token: "ACK" });
    await panel.sia(ALARM, "0004");
    expect(statesOf(here)).toEqual(["gated", "waiting", "waiting"]);
  });

  test("is one trip, also when it is repeated", async () => {
    const { here, panel } = await started();
    await sendFrom1(here, panel, [ALARM, RESTORAL]);
    for (let copy = 0; copy < 3; copy += 1) await sendFrom1(here, panel, [ALARM]);
    expect(statesOf(here)).toEqual(["waiting", "waiting"]);
  });
});

describe("a copy of a message behind which others were accepted is not another trip", () => {
  test.each<[string, Partial<AlarmPanelAccount>]>([
    ["plain", {}],
    ["encrypted", { key: KEY, isPlain: false }],
  ])("with its own time, at any age: %s", async (_name, options) => {
    const { here, panel } = await started(options);
    const frame = panel.frame("SIA-DCS", `#1234|${ALARM}`, "0001");
    await panel.send(frame);
    here.clock.advance(5_000);
    await panel.sia(RESTORAL, "0002");
    for (const afterMs of [5_000, 3_600_000]) {
      here.clock.advance(afterMs);
      expect(await panel.send(frame)).toMatchObject({ token: "ACK" });
    }
    expect(statesOf(here)).toEqual(["waiting"]);
    expect(here.contactOf("hall")).toBe("normal");
  });

  test("with a time between its own and that of the newest: it was on its way for longer", async () => {
    const { here, panel } = await started();
    await panel.sia(ALARM, "0001");
    here.clock.advance(5_000);
    const late = panel.frame("SIA-DCS", `#1234|${ALARM}`, "0001");
    here.clock.advance(5_000);
    await panel.sia(RESTORAL, "0002");
    expect(await panel.send(late)).toMatchObject({ token: "ACK" });
    expect(statesOf(here)).toEqual(["waiting"]);
    expect(here.count("repeated")).toBe(1);
  });
});
