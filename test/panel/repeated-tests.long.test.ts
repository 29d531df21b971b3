import { expect, test } from "vitest";
import type { Trip } from "../../src/domain/trip.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { PanelSite } from "../support/panel-site.ts";

const OUTPUT = "outputs: [{ name: sirena, on: alarm, pulseS: 180, gpio: 22 }]\n";

describeWithBrowser("a test that is pressed again after its response was lost", () => {
  const site = PanelSite.running(OUTPUT);

  test("is one signal test, and the next press another one", async () => {
    const tests = async (): Promise<number> =>
      (await site.control.get<Trip[]>("/site/trips")).filter(({ type }) => type === "signal").length;
    const page = await site.page("walk-test");
    const screen = page.screen("walk-test");
    const start = screen.button("Start signal test");
    const lost = await page.loseNextResponse("**/site/signal-test", "POST");
    await start.click();
    await lost();
    await screen.text("The daemon is not responding. Try again.").shown();
    expect(await tests()).toBe(1);
    await start.click();
    await screen.badge("test completed").shown();
    expect(await tests()).toBe(1);
    await start.click();
    await eventually("another test", async () => (await tests()) === 2);
    await page.close();
  });

  test("switches an output once, and with the next press again", async () => {
    const switches = async (): Promise<number> =>
      (await site.control.get<TimelineEntry[]>("/site/journal")).filter((one) =>
        JSON.stringify(one).includes("output-tested"),
      ).length;
    const page = await site.page("walk-test");
    const screen = page.screen("walk-test");
    const press = async (): Promise<void> => {
      await screen.button("Test sirena").click();
      await page.dialog("Switch sirena for two seconds?").button("Test").click();
    };
    const path = "/site/outputs/sirena/test";
    const lost = await page.loseNextResponse(`**${path}`);
    await press();
    await lost();
    await page.notice.text("The daemon is not responding. Try again.").shown();
    expect(await switches()).toBe(1);
    const again = page.answered(path, 200);
    await press();
    await again;
    expect(await switches()).toBe(1);
    await eventually("the end of the first", async () => {
      const [output] = await site.control.get<{ readonly isOn: boolean }[]>("/site/outputs");
      return output?.isOn === false;
    });
    await press();
    await eventually("another switch", async () => (await switches()) === 2);
    await page.close();
  });

  test("is one test trip with one key, and a restored contact is tripped with another", async () => {
    const context = await site.context();
    const keys: (string | undefined)[] = [];
    const contacts: (string | undefined)[] = [];
    context.on("request", (request) => {
      if (!request.url().endsWith("/site/simulate")) return;
      keys.push(request.headers()["idempotency-key"]);
      contacts.push((request.postDataJSON() as { contact?: string }).contact);
    });
    const page = await site.page("zones", context);
    const sheet = await page.openZone("PIR hol");
    const trip = async (): Promise<void> => {
      await sheet.button("Test trip…").click();
      await page.dialog("Test trip: PIR hol").button("Trip zone").click();
    };
    // The request is lost, so that the contact stays as it is.
    await page.blockNextRequest("**/site/simulate", 504);
    await trip();
    await page.notice.text("The daemon is not responding. Try again.").shown();
    await trip();
    await sheet.button("Restore contact").click();
    await trip();
    await sheet.button("Restore contact").shown();
    expect(contacts).toEqual(["open", "open", "normal", "open"]);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
    expect(keys).not.toContain(undefined);
    await context.close();
  });
});
