import { afterAll, beforeAll, expect, test } from "vitest";
import { AlarmPanel } from "../support/alarm-panel.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { freePort } from "../support/loopback.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("the log of a site with an IP alarm panel", () => {
  let site: PanelSite;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    site = new PanelSite(
      `dc09: { port: ${port}, accounts: [ { account: "12ab", plain: true, from: [127.0.0.1], objective: { type: obiective/cladiri, id: 12 } } ] }\n`,
    );
    await site.start();
  });
  afterAll(() => site.stop());

  test("names the alarm panel and says what it has reported", async () => {
    const panel = new AlarmPanel({ account: "12AB", port: () => port, wallMs: () => Date.now() });
    expect(await panel.sia("Nri1/YT03^Baterie slabă^")).toMatchObject({ token: "ACK" });
    const page = await site.page("events");
    const log = page.screen("events");
    await log
      .listItem(/Alarm panel 12AB reported an event.*code: YT.*new, fault, partition 1, zone or user 3/)
      .shown();
  });
});
