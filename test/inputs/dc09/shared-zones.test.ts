import { describe, expect, test } from "vitest";
import type { Zone } from "../../../src/domain/zone.ts";
import type { AlarmPanelAccount } from "../../../src/domain/alarm-panel.ts";
import type { AlarmPanel } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

let panel: AlarmPanel;
const CODES = ["110", "111", "130", "301", "302", "AT", "YT", "YM"];
const FIRE = zoneOf({ id: "fire", kind: "fire", input: { dc09: "1234", codes: CODES } });
const WIRED = zoneOf({ id: "wired", input: { gpio: 17 } });

async function started(
  zones: readonly Zone[] = [FIRE],
  account: Partial<AlarmPanelAccount> = {},
): Promise<Dc09Site> {
  const site = await Dc09Site.start([alarmPanelAccount("1234", account)], zones);
  panel = site.panel("1234");
  return site;
}

/** Sends events in Contact ID, each with the next sequence of the alarm panel. */
async function report(here: Dc09Site, ...events: readonly string[]): Promise<void> {
  for (const event of events) {
    here.clock.advance(1_000);
    expect(await panel.contactId(event)).toMatchObject({ token: "ACK" });
  }
}

const openNumbers = (here: Dc09Site, zone = FIRE): readonly string[] => here.receiver.openNumbers.of(zone);
const ended = (here: Dc09Site): number => here.restores.length;

describe("a zone that several numbers of an alarm panel share", () => {
  test("is open until the last of its numbers is restored, and names those that keep it open", async () => {
    const here = await started();
    await report(here, "1110 01 004", "1110 02 007");
    expect(openNumbers(here)).toEqual(["1/4", "2/7"]);
    await report(here, "3110 01 004");
    expect(here.contactOf("fire")).toBe("open");
    expect(openNumbers(here)).toEqual(["2/7"]);
    expect(ended(here)).toBe(0);
    await report(here, "3110 02 007");
    expect(here.contactOf("fire")).toBe("normal");
    expect(openNumbers(here)).toEqual([]);
    expect(ended(here)).toBe(1);
  });

  test.each<readonly [string, (here: Dc09Site) => Promise<unknown>]>([
    ["the daemon restarts", (here) => here.startAgain()],
    ["the configuration is reloaded", (here) => here.reload([FIRE, WIRED])],
    ["the alarm panel restarts and reports that", (here) => report(here, "1305 00 000")],
    ["the alarm panel repeats one of its alarms", (here) => report(here, "1110 01 004", "6110 01 007")],
    [
      "a restoral comes of a number that was never open",
      (here) => report(here, "3110 01 009", "3130 01 005"),
    ],
  ])("stays open by its other number although %s in between", async (_name, meanwhile) => {
    const here = await started();
    await report(here, "1110 01 004", "1110 01 007");
    await meanwhile(here);
    await report(here, "3110 01 004");
    expect(here.contactOf("fire")).toBe("open");
    await report(here, "3110 01 007");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("is open until both are restored after the alarm panel has lost its sequences and repeats an alarm", async () => {
    const here = await started();
    await report(here, "1110 01 004", "1110 01 007");
    panel = here.panel("1234");
    await report(here, "3110 01 007", "1110 01 004", "1110 01 007", "3110 01 007");
    expect(openNumbers(here)).toEqual(["1/4"]);
    await report(here, "3110 01 004");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("trips at each alarm of another number, so that the record has it", async () => {
    const here = await started();
    await report(here, "1110 01 004", "1110 01 007", "1110 01 007");
    expect(here.trips).toHaveLength(3);
  });

  test("has the restore of its first alarm although later ones were too many to be stored", async () => {
    const here = await started([zoneOf({ id: "hall", input: { dc09: "1234", zone: 4 } })]);
    await report(here, ...Array.from({ length: 25 }, () => "1130 01 004"));
    const stored = here.trips.filter(({ type }) => type === "trip").map(({ state }) => state);
    expect(stored.filter((state) => state === "waiting")).toHaveLength(20);
    expect(ended(here)).toBe(0);
    await report(here, "3130 01 004");
    expect(ended(here)).toBe(1);
  });

  test("stays normal at a restoral of a number that was never open, and the event log has that report", async () => {
    const here = await started();
    await report(here, "1110 01 004", "3110 01 009");
    expect(here.contactOf("fire")).toBe("open");
    expect(here.events.at(-1)).toMatchObject({
      event: "alarm-panel-reported",
      detail: { code: "110", change: "restored", number: 9 },
    });
    await report(here, "3110 01 004", "3110 01 009");
    expect(here.contactOf("fire")).toBe("normal");
    expect(ended(here)).toBe(1);
  });

  test("is closed by the first restoral if a former release has opened it, of which no number is known", async () => {
    const here = await started();
    await report(here, "1110 01 004", "1110 01 007");
    here.database.exec("DELETE FROM active_topics");
    await here.startAgain();
    await report(here, "3110 01 007");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("forgets what opened it before a former release of the daemon closed it", async () => {
    const here = await started();
    await report(here, "1110 01 004");
    await here.receiver.stop();
    const stored = here.journal.stateOf("fire");
    if (stored) here.journal.zoneStates.save("fire", { ...stored, contact: "normal" });
    await here.startAgain();
    await report(here, "1110 01 007", "3110 01 007");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("forgets what opened it before it has restored itself", async () => {
    const short = zoneOf({
      id: "fire",
      kind: "fire",
      input: { dc09: "1234", codes: CODES },
      autoRestoreS: 60,
    });
    const here = await started([short]);
    await report(here, "1110 01 004");
    here.clock.advance(61_000);
    expect(here.contactOf("fire")).toBe("normal");
    await report(here, "1110 01 007");
    expect(openNumbers(here, short)).toEqual(["1/7"]);
    await report(here, "3110 01 007");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("forgets its numbers when it follows another account or partition after a reload", async () => {
    const here = await started();
    await report(here, "1110 01 004");
    const other = zoneOf({ id: "fire", kind: "fire", input: { dc09: "1234", partition: 1, codes: CODES } });
    await here.reload([other]);
    await here.reload([FIRE]);
    expect(openNumbers(here)).toEqual([]);
    await report(here, "1110 01 007", "3110 01 007");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("tells the same number of two partitions apart, unless a message names no partition", async () => {
    const here = await started();
    await report(here, "1110 01 004", "1110 02 004", "3110 02 004");
    expect(openNumbers(here)).toEqual(["1/4"]);
    await report(here, "3110 00 004");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("is restored by a message without a number, which ends what came without one, otherwise all numbers", async () => {
    const here = await started();
    await report(here, "1110 01 004", "1110 01 007", "3110 01 000");
    expect(here.contactOf("fire")).toBe("normal");
    await report(here, "1110 01 004", "1110 01 000", "3110 01 000");
    expect(openNumbers(here)).toEqual(["1/4"]);
  });

  test("is open until each code that came without a number is restored", async () => {
    const here = await started();
    await report(here, "1301 00 000", "1302 00 000");
    expect(openNumbers(here)).toEqual(["E301", "E302"]);
    await report(here, "3301 00 000");
    expect(here.contactOf("fire")).toBe("open");
    await report(here, "3302 00 000");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("is restored in SIA by the code that ends several others", async () => {
    const here = await started();
    for (const [index, data] of ["Nri0/AT00", "Nri0/YM00", "Nri0/AR00"].entries())
      expect(await panel.sia(data, `010${index}`)).toMatchObject({ token: "ACK" });
    expect(openNumbers(here)).toEqual(["YM"]);
    await panel.sia("Nri0/YR00", "0103");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("of openings and closings is restored by the closing of another user", async () => {
    const open = zoneOf({ id: "fire", kind: "technical", input: { dc09: "1234", codes: ["401"] } });
    const here = await started([open]);
    await report(here, "1401 01 003", "3401 01 007");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("that an alarm of another class has opened stays open until that one is restored too", async () => {
    const whole = zoneOf({ id: "fire", kind: "fire", input: { dc09: "1234" } });
    const here = await started([whole], { zones: "declared" });
    await report(here, "1110 01 005", "1130 01 003", "3110 01 005");
    expect(here.contactOf("fire")).toBe("open");
    await report(here, "3130 01 003");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("because no more are created stays open until its last number is restored, also after a restart", async () => {
    const here = await started([]);
    for (let number = 1; number <= 64; number += 1)
      here.journal.alarmPanels.addZone({ account: "1234", kind: "fire", number, name: `Zone ${number}` });
    await here.startAgain();
    await report(here, "1110 01 070", "1110 01 071");
    await here.startAgain();
    await report(here, "3110 01 070");
    expect(here.contactOf("dc09-1234-999999-fire")).toBe("open");
    await report(here, "3110 01 071");
    expect(here.contactOf("dc09-1234-999999-fire")).toBe("normal");
  });
});

describe("a zone of one number without a partition", () => {
  const hall = zoneOf({ id: "hall", input: { dc09: "1234", zone: 4 } });

  test("is open until each partition that has reported it restores it, also after a restart", async () => {
    const here = await started([hall]);
    await report(here, "1130 01 004", "1130 02 004");
    expect(openNumbers(here, hall)).toEqual(["1/4", "2/4"]);
    const before = ended(here);
    await here.startAgain();
    await report(here, "3130 03 004");
    expect(here.contactOf("hall")).toBe("open");
    expect(here.events.at(-1)).toMatchObject({ detail: { change: "restored", partition: 3 } });
    await report(here, "3130 02 004");
    expect(here.contactOf("hall")).toBe("open");
    await report(here, "3130 01 004");
    expect(here.contactOf("hall")).toBe("normal");
    expect(ended(here)).toBe(before + 1);
  });

  test("that one partition has reported is closed by the restoral of any", async () => {
    const here = await started([hall]);
    await report(here, "1130 01 004", "3130 02 004");
    expect(here.contactOf("hall")).toBe("normal");
  });

  test("is closed by a restoral that names no partition", async () => {
    const here = await started([hall]);
    await report(here, "1130 01 004", "1130 02 004", "3130 00 004");
    expect(here.contactOf("hall")).toBe("normal");
  });

  test("is closed by the first restoral if a former release has opened it", async () => {
    const here = await started([hall]);
    await report(here, "1130 01 004");
    here.database.exec("DELETE FROM active_topics");
    await here.startAgain();
    await report(here, "3130 02 004");
    expect(here.contactOf("hall")).toBe("normal");
  });
});
