import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("Back after a zone was closed", () => {
  const site = PanelSite.running();

  test("leads to the screen before the zones, however the zone was opened", async () => {
    const page = await site.page("objectives");
    await page.screen("objectives").complete();
    await page.follow("Zones");
    const sheet = await page.openZone("PIR hol");
    await page.press("Escape");
    await page.press("Escape");
    await sheet.gone();
    await page.screen("zones").tile("PIR hol").shown();
    await page.isAt("#/zones");
    await page.back();
    await page.screen("objectives").text("Hala Nord").shown();

    await page.open("zones?zone=smoke");
    await page.dialog("Fum depozit").button("Close").click();
    await page.dialog("Fum depozit").gone();
    await page.isAt("#/zones");
    await page.back();
    await page.screen("objectives").text("Hala Nord").shown();
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });

  test("a zone stays open when its edge is pressed, and is closed by a press beside it", async () => {
    const page = await site.page("zones");
    const sheet = await page.openZone("PIR hol");
    const left = await sheet.evaluate<number>("part.getBoundingClientRect().left");
    await page.pressAt(left + 4, 300);
    await sheet.button("7 days").click();
    await sheet.pressedButton("7 days").shown();
    await page.isAt("#/zones?zone=hall");
    await page.pressAt(left - 4, 300);
    await sheet.gone();
    await page.close();
  });
});
