import { expect, test } from "vitest";
import type { Zone as ZoneOptions } from "../../../src/generated/types.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

const HOUR_MS = 3_600_000;

function shopOf(options: Partial<ZoneOptions> = {}) {
  return zoneOf({ id: "shop", input: { dc09: "1234", codes: ["130", "301"] }, ...options });
}

/** What becomes of an alarm each hour, of this code and these numbers; each opens an intervention of its own. */
async function hourly(zone: ReturnType<typeof shopOf>, code: string, numbers: readonly string[]) {
  const here = await Dc09Site.start([alarmPanelAccount("1234")], [zone]);
  const panel = here.panel("1234");
  for (const number of numbers) {
    for (const change of ["1", "3"])
      expect(await panel.contactId(`${change}${code} 01 ${number}`)).toMatchObject({ token: "ACK" });
    here.journal.swingers.countIncident(zone.id);
    here.clock.advance(HOUR_MS);
  }
  return here.trips.filter(({ type }) => type === "trip").map(({ state }) => state);
}

test("a burglary is dispatched although two other detectors of its zone have tripped within eight hours", async () => {
  expect(await hourly(shopOf(), "130", ["003", "007", "012"])).toEqual(["waiting", "waiting", "waiting"]);
});

test("a zone of several numbers is shut down if its file turns that on, or it is of a supply that fails repeatedly", async () => {
  const shutDown = ["waiting", "waiting", "swinger"];
  expect(await hourly(shopOf({ swinger: {} }), "130", ["003", "007", "012"])).toEqual(shutDown);
  expect(await hourly(shopOf({ kind: "power" }), "301", ["000", "000", "000"])).toEqual(shutDown);
  const single = shopOf({ input: { dc09: "1234", zone: 4 } });
  expect(await hourly(single, "130", ["004", "004", "004"])).toEqual(shutDown);
});

test.each<[string, (numbers: readonly string[]) => string[]]>([
  ["the first 256 are restored", (numbers) => numbers.slice(0, 256).map((number) => `3130 01 ${number}`)],
  [
    "all are restored, the last ones first",
    (numbers) => numbers.map((number) => `3130 01 ${number}`).toReversed(),
  ],
  ["a restoral without a number comes", () => ["3130 01 000"]],
])("a zone that more numbers have opened than are remembered closes once %s", async (_name, restoralsOf) => {
  const here = await Dc09Site.start([alarmPanelAccount("1234")], [shopOf()]);
  const panel = here.panel("1234");
  const send = async (event: string): Promise<void> => {
    here.clock.advance(200);
    expect(await panel.contactId(event)).toMatchObject({ token: "ACK" });
  };
  const numbers = Array.from({ length: 258 }, (_, index) => String(index + 1).padStart(3, "0"));
  for (const number of numbers) await send(`1130 01 ${number}`);
  expect(here.receiver.openNumbers.of(shopOf())).toContain("#");
  for (const restoral of restoralsOf(numbers)) {
    expect(here.contactOf("shop")).toBe("open");
    await send(restoral);
  }
  expect(here.contactOf("shop")).toBe("normal");
  expect(here.receiver.openNumbers.of(shopOf())).toEqual([]);
});

test("sixty alarms at once, from the memory of an alarm panel, are all dispatched", async () => {
  const here = await Dc09Site.start([alarmPanelAccount("1234")], [shopOf()]);
  const panel = here.panel("1234");
  const numbers = Array.from({ length: 60 }, (_, index) => String(index + 1).padStart(3, "0"));
  for (const number of numbers) {
    here.clock.advance(200);
    expect(await panel.contactId(`1130 01 ${number}`)).toMatchObject({ token: "ACK" });
  }
  expect(here.trips.map(({ state }) => state)).toEqual(numbers.map(() => "waiting"));
});
