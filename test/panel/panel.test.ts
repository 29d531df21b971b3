import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("the panel, under a name of the LAN and without TLS", () => {
  const site = new PanelSite();
  beforeAll(() => site.start());
  afterAll(() => site.stop());

  test("lets a technician in, and says so when the password is wrong", async () => {
    const page = await site.strangersPage();
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

  test("shows a zone that opens without being loaded again", async () => {
    const page = await site.page("zones");
    const row = page.screen("zones").row(/Ușa principală/);
    await row.badge("at rest").shown();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await row.badge("OPEN").shown();
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await row.badge("at rest").shown();
  });

  test("trips a zone when a person asks for it, and not before they have read what it does", async () => {
    const page = await site.page("zones");
    const zones = page.screen("zones");
    await zones.button("Test trip… Fum depozit").click();
    const question = page.dialog("Test trip of Fum depozit");
    await question.text(/sent to the dispatch centre/).shown();
    await question.button("Trip it").click();
    await page.notice.text("Fum depozit: 1 trip written down").shown();
    await zones.button("Close Fum depozit").click();
    await page.notice.text("Fum depozit is closed again").shown();
  });

  test("draws what each zone has gone through: trips, and times out of service", async () => {
    await site.daemon.run(["zones", "bypass", "--zone", "hall", "--reason", "painter", "--minutes", "5"]);
    const zones = (await site.page("zones")).screen("zones");
    await zones.image(/^Ușa principală: \d+ trips?, the last at/).shown();
    await zones.image("PIR hol: 0 trips; 1 bypass").shown();
    await zones.button("7 days").click();
    await zones.pressedButton("7 days").shown();
    await zones.complete();
    await zones.image("PIR hol: 0 trips; 1 bypass").shown();
    await site.daemon.run(["zones", "restore", "--zone", "hall"]);
  });

  test("asks no other host for anything, and does nothing that its own policy forbids", () => {
    expect(site.strangers).toEqual([]);
    expect(site.complaints).toEqual([]);
  });
});
