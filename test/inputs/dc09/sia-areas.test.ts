import { describe, expect, test } from "vitest";
import type { AlarmPanel } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

/** Detectors 3 and 4, whose alarms are dispatched while their area is armed. */
const [ROOM, CELLAR] = [1, 2].map((partition) =>
  zoneOf({
    id: `area-${partition}`,
    kind: "motion",
    input: { dc09: "1234", zone: partition + 2 },
    gate: { dc09: "1234", partition },
  }),
);

async function started(): Promise<{ here: Dc09Site; panel: AlarmPanel }> {
  if (!ROOM || !CELLAR) throw new Error("no zones");
  const here = await Dc09Site.start([alarmPanelAccount("1234")], [ROOM, CELLAR]);
  return { here, panel: here.panel("1234") };
}

async function sendAll(panel: AlarmPanel, messages: readonly string[]): Promise<void> {
  for (const message of messages) expect(await panel.sia(message), message).toMatchObject({ token: "ACK" });
}

function tripsOf({ trips }: Dc09Site): string[] {
  return trips.map(({ zoneId, state }) => `${zoneId} ${state}`);
}

describe("an opening of area 2 while areas 1 and 2 are armed", () => {
  test.each([
    ["with the number of the area behind the code", "NOG2"],
    ["at a set time", "NOA2"],
    ["with the name of the area as its text", "NOG2^Pivniță^"],
    ["by a user of area 2", "Nri2/OP5"],
    ["by a user of area 2, as Ajax reports it", "Nri2/OG501"],
    ["with the time behind the area and no separators", "Nri2ti10:15:00OP5"],
    ["with the time before the area and no separators", "Nti10:15ri2OP5"],
    ["with the name of the area", "Nri2^Pivniță^OP5"],
    ["with the names of the area and the user", 'Nri2*"Pivniță"NMid5^Ana^OP5'],
    ["with the area behind the code", "NOP5/ri02/ti07:38/A+OPENING"],
    ["with a name that has no signs", "Nri2 Pivniță/OP5"],
  ])("does not suppress the alarms of area 1: %s", async (_form, opening) => {
    const { here, panel } = await started();
    await sendAll(panel, ["Nri1/CL5", "Nri2/CL5", opening, "Nri1/BA3", "Nri2/BA4"]);
    expect(tripsOf(here)).toEqual(["area-1 waiting", "area-2 gated"]);
  });
});

describe("a closing of area 2 while areas 1 and 2 are disarmed", () => {
  test.each(["NCG2", "NCA2", "Npi1/NL2", "NNF2"])("arms area 2 alone: %s", async (closing) => {
    const { here, panel } = await started();
    await sendAll(panel, ["Nri1/OP5", "Nri2/OP5", closing, "Nri1/BA3", "Nri2/BA4"]);
    expect(tripsOf(here)).toEqual(["area-1 gated", "area-2 waiting"]);
  });

  test("leaves the condition that area 1 is not armed", async () => {
    const { here, panel } = await started();
    await sendAll(panel, ["NCI2", "NCI1", "NCG2"]);
    expect(here.conditions).toEqual(["alarm-panel-trouble/1234 CI 1/-"]);
  });
});

describe("an opening of several areas", () => {
  test("disarms each of them", async () => {
    const { here, panel } = await started();
    await sendAll(panel, ["Nri1/CL5", "Nri2/CL5", "NOG1/2", "Nri1/BA3", "Nri2/BA4"]);
    expect(tripsOf(here)).toEqual(["area-1 gated", "area-2 gated"]);
  });
});

describe("an alarm with texts beside its number", () => {
  test.each([
    ["the name of the area", "Nri2^Parter^BA7^Hol^"],
    ["the name of the user", "Nid5^Ana^BA7^Hol^"],
    ["names without separators", "Nri2^Parter^id5'Ana'ti10:15:00BA7^Hol^"],
    ["a text before the code", "^Parter^BA7^Hol^"],
    ["a block that means nothing", "Nri2/#7;/BA7^Hol^"],
  ])("is a trip of its zone, with its own text: %s", async (_form, message) => {
    const { here, panel } = await started();
    await sendAll(panel, [message]);
    expect(here.trips).toMatchObject([{ zoneId: "dc09-1234-7-intrusion", signal: { name: "Hol (1234/7)" } }]);
  });
});
