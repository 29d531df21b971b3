import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { EDGE } from "../support/installation.ts";
import { editableSite, PanelSite } from "../support/panel-site.ts";

describeWithBrowser("an administrator whose zones were right yesterday", () => {
  const site = PanelSite.running(
    "",
    editableSite("id: usa, name: Ușa, kind: intrusion", "id: geam, name: Geam, kind: glass"),
  );
  const file = (): string => join(site.installation.folder, "site.yaml");

  test("compares an earlier configuration with the current one and returns to it", async () => {
    const before = readFileSync(file(), "utf8");
    writeFileSync(file(), before.replace(/ {2}- \{ id: geam.*\n/, ""));
    const dataDir = join(site.installation.folder, "site");
    expect(await askDaemon(dataDir, "POST", "/site/reload")).toMatchObject({ status: 200 });

    const page = await site.page("zones/edit");
    await page.screen("zones/edit").link("Earlier configurations").click();
    const earlier = page.screen("zones/earlier");
    await earlier.heading("Earlier configurations").shown();
    await earlier.text(/^Edited in the file; active since /).shown();
    await earlier.button(/^Compare: Until /).click();

    const review = page.screen("zones/review");
    await review.heading("Return to this configuration?").shown();
    await review.text(/^\+ {2}- \{ id: geam/).shown();
    await review.text("The configuration is valid").shown();
    await review.field("Your password").fill(EDGE.password);
    await review.button("Return to this configuration").click();
    await earlier.text("current").shown();
    expect(readFileSync(file(), "utf8")).toBe(before);
    await page.open("zones");
    await page.screen("zones").tile("Geam").shown();
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });
});
