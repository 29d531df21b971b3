import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { BUILT_PANEL } from "../support/built-program.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("the panel on an unreliable network", () => {
  const site = PanelSite.running();

  const door = (page: PanelPage): Part => page.screen("zones").tile("Ușa principală");
  const trip = (): Promise<void> => site.daemon.run(["trip", "--zone", "front-door"]);
  const restore = (): Promise<void> => site.daemon.run(["trip", "--zone", "front-door", "--restore"]);

  test("shows the lost connection and reconnects with the same session", async () => {
    const page = await site.page("zones");
    const { banner } = page;
    await banner.badge("live").shown();
    // The screen's script is loaded now: a browser does not request it again.
    await door(page).text("Closed").shown();
    await site.daemon.end("SIGTERM");
    await banner.badge("no connection").shown();
    // What the page shows may be over: it is grey and says from when it is.
    await page.staleBar.text(/This was the state at \d\d:\d\d:\d\d\.$/).shown();
    expect(await page.contentFilter()).toBe("grayscale(1)");
    await site.startAgain();
    await banner.badge("live").shown();
    await page.staleBar.gone();
    await door(page).text("Closed").shown();
    await trip();
    await door(page).text("Open").shown();
    await restore();
    await page.close();
  });

  test("is up to date in eight windows, of which only four have a stream", async () => {
    const context = await site.context();
    const pages = [await site.page("zones", context)];
    for (let count = 1; count < 8; count += 1) pages.push(await site.page("zones", context));
    await trip();
    for (const page of pages) await door(page).text("Open").shown();
    await restore();
    for (const page of pages) await door(page).text("Closed").shown();
    const words = await Promise.all(pages.map((page) => page.banner.markup(".live").words()));
    expect(words.filter((word) => word.includes("live")).length).toBe(4);
    await context.close();
  });

  test("closes its stream while hidden, and catches up when visible", async () => {
    const page = await site.page("zones");
    const { banner } = page;
    await banner.badge("live").shown();
    await page.abortsRequest("/site/events", () => page.setHidden(true));
    await trip();
    await door(page).text("Closed").shown();
    await page.setHidden(false);
    await door(page).text("Open").shown();
    await restore();
  });
});

test("the panel loads at most 100 kB at its start and refers to no other host", () => {
  const files = readdirSync(BUILT_PANEL, { recursive: true, encoding: "utf8" })
    .map((name) => join(BUILT_PANEL, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith(".gz"));
  const texts = files.map((path) => readFileSync(path, "utf8"));
  expect(files.length).toBeGreaterThan(2);
  const atStart = loadedWith(join(BUILT_PANEL, "index.html"));
  expect(atStart.size).toBeLessThan(files.length);
  expect([...atStart].reduce((bytes, path) => bytes + statSync(path).size, 0)).toBeLessThan(102_400);
  const hosts = texts.flatMap((text) => [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map((match) => match[1]));
  // XML namespaces, and the example in the hint of a field: never requested.
  const inTexts = new Set<string | undefined>(["www.w3.org", "dispecerat.example.ro"]);
  expect(new Set(hosts.filter((host) => !inTexts.has(host)))).toEqual(new Set());
});

/** A built file with everything that it names, but for what a script imports only when a screen is opened. */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const names = /(?:src|href|from|import)\s*=?\s*"(\.\/[^"]+)"/g;
  // The daemon leaves the texts of one language; those in Romanian are larger.
  const text = readFileSync(path, "utf8").replace(/<link [^>]*data-language="en">/, "");
  for (const [, name = ""] of text.matchAll(names)) loadedWith(join(path, "..", name), found);
  return found;
}
