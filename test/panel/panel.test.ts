import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("the panel, under a name of the LAN and without TLS", () => {
  const site = new PanelSite();
  beforeAll(() => site.start());
  afterAll(() => site.stop());

  test("lets a technician in, and says so when the password is wrong", async () => {
    const page = await (await site.context()).newPage();
    await page.goto(site.address);
    await signIn(page, "wrong horse battery staple");
    await page.getByText("email or password is wrong").waitFor();
    await signIn(page);
    await page.getByRole("heading", { name: "Status" }).waitFor();
    await page.getByText("Hala Nord").waitFor();
  });

  test("shows a zone that opens without being loaded again", async () => {
    const page = await site.page("zones");
    const row = page.getByRole("row", { name: /Ușa principală/ });
    await row.getByText("at rest").waitFor();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await row.getByText("OPEN").waitFor();
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await row.getByText("at rest").waitFor();
  });

  test("trips a zone when a person asks for it, and not before they have read what it does", async () => {
    const page = await site.page("zones");
    await page.getByRole("button", { name: "Test trip… Fum depozit" }).click();
    await page.getByRole("dialog").getByText("sent to the dispatch centre").waitFor();
    await page.getByRole("button", { name: "Trip it" }).click();
    await page.getByText("Fum depozit: 1 trip written down").waitFor();
    await page.getByRole("button", { name: "Close Fum depozit" }).click();
    await page.getByText("Fum depozit is closed again").waitFor();
  });

  test("draws what each zone has gone through: trips, and times out of service", async () => {
    await site.daemon.run(["zones", "bypass", "--zone", "hall", "--reason", "painter", "--minutes", "5"]);
    const page = await site.page("zones");
    await page.getByRole("img", { name: /^Ușa principală: \d+ trips?, the last at/ }).waitFor();
    await page.getByRole("img", { name: "PIR hol: 0 trips; 1 bypass" }).waitFor();
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByRole("button", { name: "7 days", pressed: true }).waitFor();
    await page.getByRole("img", { name: "PIR hol: 0 trips; 1 bypass" }).waitFor();
    await site.daemon.run(["zones", "restore", "--zone", "hall"]);
  });

  test("asks no other host for anything, and does nothing that its own policy forbids", () => {
    expect(site.strangers).toEqual([]);
    expect(site.complaints).toEqual([]);
  });
});
