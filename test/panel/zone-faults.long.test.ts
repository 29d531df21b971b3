import { beforeAll, expect, test } from "vitest";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

const LONG_NAME = "Depozitul central al cooperativei agricole din Sânnicolau Mare, hala de nord";

/** What the daemon would say of zones whose sensors report these faults. */
const FAULTS: Readonly<Record<string, ZoneView["faults"]>> = {
  "front-door": [{ fault: "battery", since: "2026-11-22T18:00:00.000Z" }],
  smoke: [{ fault: "tamper", since: "2026-11-22T18:00:00.000Z" }],
};

describeWithBrowser("a site with faults", () => {
  const site = PanelSite.running();
  let page: PanelPage;
  beforeAll(async () => {
    // Without a stream the page polls, and its responses can be changed.
    const context = await site.context();
    await context.route("**/site/events", (route) => route.fulfill({ status: 429, body: "{}" }));
    page = await site.signedOutPage(context);
    await page.changeResponses("**/site/zones", 1_000, (zones) =>
      (zones as ZoneView[]).map((zone) => ({ ...zone, faults: FAULTS[zone.id] ?? [] })),
    );
    await page.changeResponses("**/site/status", 1_000, (status) => ({
      ...status,
      site: { ...(status as { site: object }).site, name: LONG_NAME },
    }));
    await page.changeResponses("**/site/journal?limit=30", 1_000, (entries) =>
      (entries as TimelineEntry[]).filter(({ event }) => event.startsWith("sign")),
    );
    await page.open("status");
    await signIn(page);
    await page.screen("status").complete();
  });

  test("has a sabotaged zone before one with a low battery", async () => {
    const tiles = page.screen("status");
    await tiles.markup(".tiles > li:nth-child(1)").tile("Fum depozit").shown();
    await tiles.markup(".tiles > li:nth-child(2)").tile("Ușa principală").shown();
  });

  test("has the same colour for a fault in the details of the zone as on its tile", async () => {
    await page.open("zones");
    const sabotaged = await page.openZone("Fum depozit");
    await sabotaged.badge("Tamper").and(sabotaged.markup(".s-fault")).shown();
    await page.press("Escape");
    const weak = await page.openZone("Ușa principală");
    await weak.badge("Low battery").and(weak.markup(".s-attention")).shown();
    await page.press("Escape");
  });

  test("says at home that there are only sign-ins, and shows the whole of a long name to who asks for it", async () => {
    const home = await page.open("status");
    await home.text("The newest entries of the event log are all sign-ins.").shown();
    await page.look("light", 360);
    const name = page.banner.markup(".name");
    expect(await name.attribute("title")).toBe(LONG_NAME);
    expect(await name.evaluate<number>("part.offsetHeight / 20")).toBe(2);
    await page.close();
  });
});

describeWithBrowser("a zone whose contact is open while its trips are not dispatched", () => {
  const site = PanelSite.running();
  const since = "2026-11-22T18:00:00.000Z";
  const OUT_OF_SERVICE: Readonly<Record<string, Partial<ZoneView>>> = {
    "front-door": {
      contact: "open",
      since,
      disposition: "swinger",
      shutDownUntil: "2026-11-23T02:00:00.000Z",
      faults: [{ fault: "faulty", since }],
    },
    hall: {
      contact: "open",
      since,
      disposition: "bypassed",
      bypass: {
        reason: "zugrav",
        who: "ana",
        since: "2026-11-22T19:00:00.000Z",
        until: "2026-11-22T20:00:00.000Z",
      },
    },
    smoke: {
      disposition: "waiting",
      faults: [
        { fault: "tamper", since },
        { fault: "supervision", since },
      ],
    },
  };
  let page: PanelPage;
  beforeAll(async () => {
    const context = await site.context();
    await context.route("**/site/events", (route) => route.fulfill({ status: 429, body: "{}" }));
    page = await site.signedOutPage(context);
    await page.changeResponses("**/site/zones", 1_000, (zones) =>
      (zones as ZoneView[]).map((zone) => ({ ...zone, ...OUT_OF_SERVICE[zone.id] })),
    );
    await page.changeResponses("**/site/status", 1_000, (status) => ({
      ...status,
      alarmZones: [{ id: "front-door", interventionId: 1 }],
    }));
    await page.open("zones");
    await signIn(page);
    await page.screen("zones").complete();
  });

  test("says both on its tile, red while its alarm is not done", async () => {
    const zones = page.screen("zones");
    await zones.markup(".tile.s-alarm").text("Open · shut down (keeps tripping)").shown();
    await zones.markup(".tile.s-off").text("Motion · bypassed").shown();
    await zones.markup(".tile.s-fault").text("Tamper +1").shown();
  });

  test("says in its details what its contact reports, and apart from it why a trip is not dispatched", async () => {
    const shut = await page.openZone("Ușa principală");
    const words = async (): Promise<string> =>
      (await page.openDialog.markup(".facts").words()).replaceAll(/\s+/g, " ");
    await shut.text("A trip now").shown();
    expect(await words()).toMatch(
      /^Contact Open · since .* A trip now is not dispatched: swinger shutdown back in service at .* unless it trips again Faults Faulty since .*/,
    );
    await page.press("Escape");
    await page.openZone("PIR hol");
    expect(await words()).toMatch(
      /A trip now is not dispatched: bypassed since .* until .* · ana: zugrav Zone type/,
    );
    await page.press("Escape");
    await page.close();
  });
});
