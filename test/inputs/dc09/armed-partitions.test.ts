import { describe, expect, test } from "vitest";
import type { Zone } from "../../../src/domain/zone.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

/** A zone of partition 1 that follows the arming of the whole alarm panel. */
const HALL = zoneOf({
  id: "hall",
  kind: "motion",
  input: { dc09: "1234", partition: 1, zone: 4 },
  gate: { dc09: "1234" },
});
const UNGATED = zoneOf({ id: "hall", kind: "motion", input: { dc09: "1234", partition: 1, zone: 4 } });
const WIRED = zoneOf({ id: "wired", input: { gpio: 17 } });
const ALARM = "1130 01 004";

type Step = string | ((here: Dc09Site) => Promise<void>);
const restart: Step = (here) => here.startAgain();
const reload =
  (...zones: readonly Zone[]): Step =>
  (here) =>
    here.reload(zones);

/** The disposition of an alarm after these reports, each of which is acknowledged. */
async function alarmAfter(steps: readonly Step[]): Promise<string | undefined> {
  const here = await Dc09Site.start([alarmPanelAccount("1234")], [HALL]);
  const panel = here.panel("1234");
  for (const step of [...steps, ALARM]) {
    here.clock.advance(1_000);
    if (typeof step === "string") expect(await panel.contactId(step)).toMatchObject({ token: "ACK" });
    else await step(here);
  }
  return here.trips.at(-1)?.state;
}

describe("a gate without a partition", () => {
  test.each<readonly [string, ...Step[]]>([
    ["one of two armed partitions is disarmed", "3401 01 002", "3401 02 002", "1401 02 002"],
    ["and the daemon restarts", "3401 01 002", "3401 02 002", "1401 02 002", restart],
    ["in a restarted daemon", "3401 01 002", "3401 02 002", restart, "1401 02 002"],
    ["after a reload", "3401 01 002", "3401 02 002", reload(HALL, WIRED), "1401 02 002"],
    ["one partition is armed, in part", "1401 00 002", "1401 02 002", "3456 01 002"],
    [
      "one partition is disarmed after the whole was armed",
      "1401 01 002",
      "1401 02 002",
      "3401 00 002",
      "1401 02 002",
    ],
  ])("is armed although or because %s", async (_name, ...steps) => {
    expect(await alarmAfter(steps)).toBe("waiting");
  });

  test.each<readonly [string, ...Step[]]>([
    ["its only partition is disarmed", "3401 01 002", "1401 01 002"],
    ["the last of them is disarmed", "3401 01 002", "3401 02 002", "1401 02 002", "1401 01 002"],
    ["the whole alarm panel is disarmed", "3401 01 002", "3401 02 002", "1401 00 002"],
    ["each is disarmed after the whole was armed", "3401 00 002", "1401 02 002", "1401 01 002"],
    [
      "each known one is disarmed after the whole was armed",
      "1401 01 002",
      "1401 02 002",
      "3401 00 002",
      "1401 01 002",
      "1401 02 002",
    ],
    [
      "a partition was armed before the gate was removed and added again",
      "3401 02 002",
      reload(UNGATED),
      reload(HALL),
      "1401 01 002",
    ],
  ])("is disarmed when %s", async (_name, ...steps) => {
    expect(await alarmAfter(steps)).toBe("gated");
  });
});
