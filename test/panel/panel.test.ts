import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("the panel, under a LAN host name and without TLS", () => {
  const site = new PanelSite();
  beforeAll(() => site.start());
  afterAll(() => site.stop());

  test("signs a technician in, and shows that a password is wrong", async () => {
    const page = await site.signedOutPage();
    await page.openFirst();
    await signIn(page, "wrong horse battery staple");
    await page
      .screen("sign-in")
      .text(/email or password is wrong/)
      .shown();
    await signIn(page);
    await page.screen("status").heading("Status").shown();
    await page.banner.text(/Hala Nord/).shown();
  });

  test("shows an open zone without a reload", async () => {
    const page = await site.page("zones");
    const row = page.screen("zones").row(/Ușa principală/);
    await row.badge("normal").shown();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await row.badge("OPEN").shown();
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await row.badge("normal").shown();
  });

  test("trips a zone after a confirmation", async () => {
    const page = await site.page("zones");
    const zones = page.screen("zones");
    await zones.button("Test trip… Fum depozit").click();
    const question = page.dialog("Test trip: Fum depozit");
    await question.text(/sent to the dispatch centre/).shown();
    await question.button("Trip zone").click();
    await page.notice.text("Fum depozit: 1 trip recorded").shown();
    await zones.button("Restore contact Fum depozit").click();
    await page.notice.text("Fum depozit: contact restored").shown();
  });

  test("draws the history of each zone: trips and bypasses", async () => {
    await site.daemon.run(["zones", "bypass", "--zone", "hall", "--reason", "painter", "--minutes", "5"]);
    const zones = (await site.page("zones")).screen("zones");
    await zones.image(/^Ușa principală: \d+ trips?, last at/).shown();
    await zones.image("PIR hol: 0 trips; 1 bypass").shown();
    await zones.button("7 days").click();
    await zones.pressedButton("7 days").shown();
    await zones.complete();
    await zones.image("PIR hol: 0 trips; 1 bypass").shown();
    await site.daemon.run(["zones", "restore", "--zone", "hall"]);
  });

  test("sends no request to another host and does not violate its content security policy", () => {
    expect(site.foreignRequests).toEqual([]);
    expect(site.pageErrors).toEqual([]);
  });
});
