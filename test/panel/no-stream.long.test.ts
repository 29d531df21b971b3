import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { StreamProxy, type StreamMode } from "../support/stream-proxy.ts";

/** From now on notes what the label of live updates says, and whether the page is grey. */
const NOTE_LABELS = `void new MutationObserver(() => (globalThis.labels ??= []).push(part.className + " " +
  getComputedStyle(part.ownerDocument.getElementById("content")).filter)).observe(part, { attributes: true })`;
const LABELS = "globalThis.labels ?? []";

describeWithBrowser("a page behind a proxy that lets no event stream through", () => {
  const site = PanelSite.running();
  let proxy: StreamProxy;
  beforeAll(async () => {
    proxy = new StreamProxy(site.port);
    site.proxyPort = await proxy.start();
  });
  afterEach(() => {
    proxy.mode = "carry";
  });
  afterAll(() => proxy.stop());

  const door = (page: PanelPage): Part => page.screen("zones").tile("Ușa principală");
  const label = (page: PanelPage): Part => page.banner.markup(".live");

  async function showsChanges(page: PanelPage): Promise<void> {
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await door(page).text("Open").shown();
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await door(page).text("Closed").shown();
  }

  test.each<[string, StreamMode, number]>([
    ["answers 502 for it", "reject", 5],
    ["waits for its end", "keep", 2],
    ["sends only its headers", "keep-body", 2],
  ])(
    "polls if it %s, without getting grey when it tries one again, and is live once one comes",
    async (_what, mode, streams) => {
      proxy.mode = mode;
      proxy.streams = 0;
      const page = await site.page("zones");
      await page.banner.badge("every 3 s").shown();
      await label(page).evaluate(NOTE_LABELS);
      expect(await page.contentFilter()).toBe("none");
      await showsChanges(page);
      const sheet = await page.openZone("PIR hol");
      expect(await sheet.button("Bypass…").attribute("aria-disabled")).toBeNull();
      // A silent one is given up after 15 s.
      await eventually("further streams", () => proxy.streams >= streams);
      await showsChanges(page);
      expect(await page.evaluate(LABELS)).toEqual([]);
      proxy.mode = "carry";
      await page.banner.badge("live").shown();
      expect(await page.evaluate(LABELS)).toEqual(["live live none"]);
      await showsChanges(page);
      expect(site.pageErrors).toEqual([]);
      await page.close();
    },
  );

  test("shows the state within some seconds after the start", async () => {
    proxy.mode = "keep";
    const page = await site.page("zones");
    const beganMs = performance.now();
    await page.reload();
    await page.banner.badge("every 3 s").shown();
    expect(performance.now() - beganMs).toBeLessThan(14_000);
    await door(page).text("Closed").shown();
    await page.close();
  });

  test.each<StreamMode>(["reject", "keep-body"])("polls if that begins later: %s", async (mode) => {
    const page = await site.page("zones");
    await page.banner.badge("live").shown();
    proxy.mode = mode;
    await page.banner.badge("every 3 s").shown();
    expect(await page.contentFilter()).toBe("none");
    await showsChanges(page);
    proxy.mode = "carry";
    await page.banner.badge("live").shown();
    await page.close();
  });

  test("does not get grey when the stream is cut and another one refused", async () => {
    const page = await site.page("zones");
    await page.banner.badge("live").shown();
    await label(page).evaluate(NOTE_LABELS);
    proxy.mode = "reject";
    await page.banner.badge("every 3 s").shown();
    expect(await page.evaluate(LABELS)).toEqual(["live polling none"]);
    await page.close();
  });

  test("notices that the daemon is gone, and polls again once it is back", async () => {
    proxy.mode = "reject";
    const page = await site.page("zones");
    await page.banner.badge("every 3 s").shown();
    await site.daemon.end("SIGKILL");
    await page.banner.badge("no connection").shown();
    await page.staleBar.text(/This was the state at/).shown();
    expect(await page.contentFilter()).toBe("grayscale(1)");
    await site.startAgain();
    await page.banner.badge("every 3 s").shown();
    await page.staleBar.gone();
    await showsChanges(page);
    await page.close();
  });
});
