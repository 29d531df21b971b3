import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { editableSite, PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("the panel, under a LAN host name and without TLS", () => {
  const site = PanelSite.running();

  test("signs a technician in, and shows that a password is wrong", async () => {
    const page = await site.signedOutPage();
    await page.openFirst();
    await signIn(page, "wrong horse battery staple");
    await page
      .screen("sign-in")
      .text(/email or password is wrong/)
      .shown();
    await signIn(page);
    await page.screen("status").heading("All is well").shown();
    await page.banner.text(/Hala Nord/).shown();
  });

  test("explains a rejected request in the language of the user", async () => {
    const page = await site.signedOutPage();
    await page.openFirst();
    await page.screen("sign-in").input("email").shown();
    await page.speak("RO");
    await signIn(page, "wrong horse battery staple");
    await page.screen("sign-in").text("E-mail sau parolă greșită.").shown();
    await page.close();
  });

  test("shows an open zone without a reload", async () => {
    const page = await site.page("zones");
    const tile = page.screen("zones").tile("Ușa principală");
    await tile.text("Closed").shown();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await tile.text("Open").shown();
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await tile.text("Closed").shown();
  });

  test("says that a misspelt address has no screen, with the way Home", async () => {
    const page = await site.page("status");
    await page.open("zoness");
    const missing = page.screen("missing");
    await missing.heading("Screen not found").shown();
    await missing.text("The panel has no such screen, or this account may not open it.").shown();
    await missing.link("Home").click();
    await page.screen("status").present();
  });

  test("trips a zone after a confirmation", async () => {
    const page = await site.page("zones");
    const sheet = await page.openZone("Fum depozit");
    await sheet.button("Test trip…").click();
    const question = page.dialog("Test trip: Fum depozit");
    await question.text(/It stays here: there is no dispatch centre\./).shown();
    await question.button("Trip zone").click();
    await page.notice.text("Fum depozit: 1 trip recorded").shown();
    await sheet.text("Fire!").shown();
    await sheet.button("Restore contact").click();
    await page.notice.text("Fum depozit: contact restored").shown();
  });

  test("shows the result of an action in front of the sheet of the zone", async () => {
    const page = await site.page("zones");
    const sheet = await page.openZone("Fum depozit");
    await sheet.button("Test trip…").click();
    await page.dialog("Test trip: Fum depozit").button("Trip zone").click();
    await sheet.text("Fum depozit: 1 trip recorded").shown();
    await sheet.button("Restore contact").click();
    await sheet.text("Fum depozit: contact restored").inFront();
    await sheet.button("Close").click();
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

describeWithBrowser("a browser in a language that the panel does not have", () => {
  test.each([
    ["ro", "Autentificare"],
    ["en", "Sign in"],
  ])("shows the panel in the language of the site: %s", async (locale, title) => {
    const configuration = editableSite("id: usa, name: Ușa, kind: intrusion");
    const site = new PanelSite(
      "",
      configuration.replace("ref: hala-nord", `ref: hala-nord, locale: ${locale}`),
    );
    try {
      await site.start();
      const page = await site.signedOutPage(await site.context({ locale: "de-DE" }));
      await page.openFirst();
      await page.screen("sign-in").heading(title).shown();
    } finally {
      await site.stop();
    }
  });
});
