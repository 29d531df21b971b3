import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { freePort } from "../support/loopback.ts";
import { MonitoringReceiver } from "../support/monitoring-receiver.ts";
import { PanelSite } from "../support/panel-site.ts";
import { accessibilityFaults, clippedParts } from "../support/accessibility-checks.ts";

describeWithBrowser("an alarm with two ways", () => {
  let receiver: MonitoringReceiver;
  let site: PanelSite;
  beforeAll(async () => {
    receiver = new MonitoringReceiver({ account: "1234", wallMs: () => Date.now() });
    await receiver.start();
    const dead = await freePort();
    site = new PanelSite(
      `upstream: { baseUrl: "http://127.0.0.1:${dead}", email: edge@site.example, passwordFile: ./upstream.password }\n` +
        `upstreams: [ { dc09: { account: "1234", plain: true, receivers: [ { host: 127.0.0.1, port: ${receiver.port} } ] } } ]\n`,
    );
    await site.start();
  });
  afterAll(async () => {
    await site.stop();
    await receiver.stop();
  });

  test("shows that the receiver has acknowledged it while the dispatch centre does not know of it", async () => {
    const page = await site.page("status");
    const home = page.screen("status");
    await site.daemon.run(["trip", "--zone", "smoke"]);
    await home.listItem(/Fum depozit.*Centre(waiting|attempt \d+)Receiver\d\d:\d\d/).shown();
    for (const theme of ["light", "dark"] as const) {
      await page.look(theme, 360);
      expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
    }
  });
});

describeWithBrowser("a site that reports to a monitoring receiver alone", () => {
  const site = PanelSite.running(
    'upstreams: [ { dc09: { account: "1234", plain: true, receivers: [ { host: 127.0.0.1, port: 9 } ] } } ]\n',
  );

  test("does not say that nothing is sent, in both languages", async () => {
    const page = await site.page("sync");
    const sync = page.screen("sync");
    await sync
      .text(/no dispatch centre, so no records are sent\. The monitoring receiver gets its events/)
      .shown();
    await page.speak("RO");
    await sync.text(/nu are dispecerat.* Receptorul de monitorizare primește evenimentele/).shown();
  });
});
