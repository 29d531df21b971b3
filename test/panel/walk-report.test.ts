import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { WalkTestView } from "../../src/site/zone-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { editableSite, PanelSite } from "../support/panel-site.ts";

/** The columns of the report. */
const COLUMNS = 6;
const START_MS = 180_000;

describe.each([
  ["twelve zones", 12],
  ["two hundred zones", 200],
])("the report of a walk test of %s", (_name, count) => {
  describeWithBrowser("on paper", () => {
    const zones = Array.from({ length: count }, (_none, at) => `Contact ${at + 1}`);
    const site = new PanelSite("", siteWith(zones));
    const daemon = (): ControlClient => new ControlClient(join(site.installation.folder, "site"));
    let page: PanelPage;
    beforeAll(async () => {
      await site.start();
      page = await site.page("walk-test");
      await daemon().post("/site/walk-test", { minutes: 10 });
      for (const contact of ["open", "normal"])
        await daemon().post("/site/simulate", { zone: "z1", contact });
      const walk = page.screen("walk-test");
      await walk.heading(`1 of ${count} zones tested`).shown();
      await walk.button("End walk test").click();
      await walk.badge(`${count - 1} zones not tested`).shown();
      await page.asPrinted(true);
    }, START_MS);
    afterAll(() => site.stop());

    test("has number, site, date, tester, the result of each zone and its hash", async () => {
      const report = page.screen("walk-test").markup(".report");
      const text = await report.words();
      const { sha256 } = await daemon().get<WalkTestView>("/site/walk-test");
      expect(text).toMatch(/^Walk test report no\. 1\n/);
      expect(text).toContain(`SHA-256 of result 1, as stored: ${sha256}`);
      expect(text).toMatch(/Hala Nord[^]*\d{4}, [\d:]{8} – [^]*\(Europe\/Bucharest\)[^]*1 zone tested/);
      for (const name of zones) expect(text).toContain(name);
      expect(text.match(/^not tested$/gm)).toHaveLength(count - 1);
    });

    test(`fits ${count > 12 ? "several pages, each with the headings of the table" : "one page"}`, async () => {
      const pages = pagesOf(await page.printed());
      if (count === 12) expect(pages).toHaveLength(1);
      else expect(pages.length).toBeGreaterThan(3);
      // The headings are on each page, and nowhere else on it.
      const [first = []] = pages;
      const once = first.filter((shown) =>
        pages.every((all) => all.filter((one) => one === shown).length === 1),
      );
      expect(once.length).toBeGreaterThanOrEqual(COLUMNS);
    });
  });
});

function siteWith(names: readonly string[]): string {
  const [head = ""] = editableSite().split("zones:");
  const objective = "objective: { type: obiective/cladiri, id: 12 }";
  const zones = names.map(
    (name, at) =>
      `  - { id: z${at + 1}, name: ${name}, kind: ${at % 2 === 0 ? "intrusion" : "motion"}, ${objective}, input: { simulated: true } }\n`,
  );
  return `${head}zones:\n${zones.join("")}`;
}

/** The texts that each page of a PDF shows, as codes of its fonts. */
function pagesOf(paper: Buffer): string[][] {
  const text = paper.toString("latin1");
  const objects = new Map(
    [...text.matchAll(/^(\d+) 0 obj\b([^]*?)^endobj/gm)].map(([, id, body]) => [id, body ?? ""]),
  );
  return [...objects.values()]
    .filter((body) => /\/Type \/Page\b/.test(body))
    .map((body) => {
      const content = objects.get(/\/Contents (\d+)/.exec(body)?.[1] ?? "") ?? "";
      const start = content.search(/stream\r?\n/);
      const length = Number(/\/Length (\d+)/.exec(content)?.[1]);
      const stream = content
        .slice(start)
        .replace(/^stream\r?\n/, "")
        .slice(0, length);
      const drawn = inflateSync(Buffer.from(stream, "latin1")).toString("latin1");
      return [...drawn.matchAll(/(<[^>]*>|\([^)]*\)|\[[^\]]*\]) T[jJ]/g)].map(([, shown = ""]) => shown);
    });
}
