import { describe, expect, test } from "vitest";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

const HALL = zoneOf({
  id: "hall",
  kind: "motion",
  input: { dc09: "1234", zone: 4 },
  gate: { dc09: "1234", partition: 1 },
  unavailableGraceS: 60,
});
const ARM = "3401 01 002";
const DISARM = "1401 01 002";
const ALARM = "1130 01 004";

async function started() {
  const here = await Dc09Site.start([alarmPanelAccount("1234")], [HALL]);
  return { here, panel: here.panel("1234") };
}

/** Makes each commit with a message of a panel fail, after its writes have succeeded. @returns a function that ends it */
function breakCommits({ database }: Dc09Site): () => void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS absent(id INTEGER PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS orphans(parent INTEGER REFERENCES absent(id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER failing_commit AFTER INSERT ON panel_messages BEGIN INSERT INTO orphans VALUES(1); END`);
  return () => database.exec("DROP TRIGGER failing_commit");
}

/** Makes each write of an arming state fail, and no other. @returns a function that ends it */
function breakGateStates({ database }: Dc09Site): () => void {
  database.exec(`CREATE TRIGGER failing_write BEFORE INSERT ON gate_states
    BEGIN SELECT RAISE(ABORT, 'a bad block'); END`);
  return () => database.exec("DROP TRIGGER failing_write");
}

describe("an arming that could not be stored", () => {
  const later = {
    "a restart": (here: Dc09Site) => here.startAgain(),
    "an alarm of an unknown zone": async (here: Dc09Site) => {
      await here.panel("1234").contactId("1110 01 099", "0800");
      here.receiver.exchanged();
    },
  };
  const faults = { "its commit": breakCommits, "its write": breakGateStates };
  const cases = Object.entries(later).flatMap(([name, happens]) =>
    Object.entries(faults).map(([fault, breakIt]) => [fault, name, { happens, breakIt }] as const),
  );

  test.each(cases)(
    "because %s failed gets no reply, and applies after its repetition and %s",
    async (_fault, _name, { happens, breakIt }) => {
      const { here, panel } = await started();
      expect(await panel.contactId(DISARM, "0001")).toMatchObject({ token: "ACK" });
      const repair = breakIt(here);
      await here.sendUnstored((sender) => sender.contactId(ARM, "0002"));
      repair();
      expect(await panel.contactId(ARM, "0002")).toMatchObject({ token: "ACK" });
      await happens(here);
      await panel.contactId(ALARM, "0003");
      expect(here.trips.at(-1)).toMatchObject({ zoneId: "hall", state: "waiting" });
    },
  );

  test("applies at once: the alarm is dispatched although the disk has failed", async () => {
    const { here, panel } = await started();
    await panel.contactId(DISARM, "0001");
    const repair = breakCommits(here);
    await here.sendUnstored((sender) => sender.contactId(ARM, "0002"));
    repair();
    await panel.contactId(ALARM, "0003");
    expect(here.trips).toMatchObject([{ zoneId: "hall", state: "waiting" }]);
  });
});

describe("lost supervision of a zone", () => {
  test("that could not be stored is a fault after its repetition and a restart", async () => {
    const { here, panel } = await started();
    const repair = breakCommits(here);
    await here.sendUnstored((sender) => sender.sia("Nri1/BZ04", "0001"));
    repair();
    expect(await panel.sia("Nri1/BZ04", "0001")).toMatchObject({ token: "ACK" });
    await here.startAgain();
    here.clock.advance(120_000);
    expect(here.trips).toMatchObject([{ type: "fault", cause: "supervision", zoneId: "hall" }]);
  });

  test("whose end could not be stored is over after its repetition and a restart", async () => {
    const { here, panel } = await started();
    expect(await panel.sia("Nri1/BZ04", "0001")).toMatchObject({ token: "ACK" });
    const repair = breakCommits(here);
    await here.sendUnstored((sender) => sender.sia("Nri1/BR04", "0002"));
    repair();
    expect(await panel.sia("Nri1/BR04", "0002")).toMatchObject({ token: "ACK" });
    await here.startAgain();
    here.clock.advance(120_000);
    expect(here.trips).toEqual([]);
  });
});

describe("a zone that follows the arming of an alarm panel again", () => {
  const UNGATED = zoneOf({ id: "hall", kind: "motion", input: { dc09: "1234", zone: 4 } });
  const reload = (here: Dc09Site, zone: typeof HALL): Promise<void> => {
    here.zoneService.exchange([zone], { who: "ana@example.ro", from: "itself" });
    here.receiver.exchanged();
    return Promise.resolve();
  };
  const restart = (here: Dc09Site, zone: typeof HALL): Promise<void> => here.startAgain([zone]);

  test.each([
    ["reloads", reload],
    ["restarts", restart],
  ])("does not take the state from before, which has changed meanwhile: after %s", async (_name, use) => {
    const { here, panel } = await started();
    await panel.contactId(DISARM, "0001");
    await use(here, UNGATED);
    await panel.contactId(ARM, "0002");
    await use(here, HALL);
    await panel.contactId(ALARM, "0003");
    expect(here.trips).toMatchObject([{ zoneId: "hall", state: "waiting" }]);
  });

  test.each([
    ["a reload", reload],
    ["a restart", restart],
  ])("keeps its state over %s", async (_name, use) => {
    const { here, panel } = await started();
    await panel.contactId(DISARM, "0001");
    await use(here, HALL);
    await panel.contactId(ALARM, "0003");
    expect(here.trips).toMatchObject([{ zoneId: "hall", state: "gated" }]);
  });
});

describe("an alarm panel that was armed", () => {
  test.each([
    ["in part, which Paradox reports as 1456", "1456 01 002"],
    ["in part, with the qualifier of a closing", "3456 01 002"],
    ["again after an alarm", "1463 01 002"],
  ])("%s is armed, until it reports an opening", async (_name, report) => {
    const { here, panel } = await started();
    await panel.contactId(DISARM);
    await panel.contactId(report);
    await panel.contactId(ALARM);
    await panel.contactId("3130 01 004");
    await panel.contactId(DISARM);
    await panel.contactId(ALARM);
    expect(here.trips.map(({ state }) => state)).toEqual(["waiting", "gated"]);
  });

  test("is not disarmed when one of its points is", async () => {
    const { here, panel } = await started();
    await panel.contactId(ARM);
    await panel.sia("Nri1/OZ07");
    await panel.contactId(ALARM);
    expect(here.trips).toMatchObject([{ zoneId: "hall", state: "waiting" }]);
    expect(here.events).toContainEqual(
      expect.objectContaining({ detail: expect.objectContaining({ code: "OZ", what: "note" }) }),
    );
  });
});
