import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import type { PanelPage, Part, Screen } from "../support/panel-page.ts";
import { editableSite, PanelSite } from "../support/panel-site.ts";

/* An error stays until it is closed: meanwhile everything else has to be within reach. */

const TIMEOUT_MS = 240_000;
const ZONES = Array.from({ length: 14 }, (_none, at) => `id: z${at}, name: Contact ${at}, kind: intrusion`);
const WIDTHS = [360, 768, 1280] as const;

/** Marks what a person can press or fill in, in the uppermost dialog if one is open, and says where each part is. */
const MARK = `(() => {
  const dialog = [...part.ownerDocument.querySelectorAll("dialog[open]")].at(-1);
  return [...part.ownerDocument.querySelectorAll("a, button, input, select, textarea, summary")]
    .filter((one) => one.checkVisibility() && !one.disabled && !one.matches(".skip, .notice *"))
    .filter((one) => dialog === undefined || one.closest("dialog") === dialog)
    .map((one, at) => { one.dataset.mark = at; return Math.round(one.getBoundingClientRect().top); });
})()`;
const HAS_DIALOG = "part.ownerDocument.querySelector('dialog[open]') !== null";

/** Has an action fail, and presses everything on the screen, or in its dialog, while the error is shown. */
async function reachAll(
  page: PanelPage,
  screen: Screen,
  part: Part,
  fail: () => Promise<void>,
): Promise<void> {
  const before = await screen.evaluate<number[]>(MARK);
  await fail();
  await page.notice.button("Close").shown();
  // A bar at the bottom of the window stays; a dialog makes room.
  if (!(await screen.evaluate<boolean>(HAS_DIALOG)))
    expect(await screen.evaluate<number[]>(MARK)).toEqual(before);
  expect(before.length).toBeGreaterThan(2);
  for (const at of before.keys()) await page.marked(at).inFront();
  await page.notice.button("Close").click();
  await page.notice.button("Close").gone();
  await part.shown();
}

/** The screen at an address that may have filters. */
function screenAt(page: PanelPage, address: string): Screen {
  return page.screen(address.replace(/\?.*/, ""));
}

describeWithBrowser("an error of an action", () => {
  const site = PanelSite.running("", editableSite(...ZONES));
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "z1"]);
    const dataDir = join(site.installation.folder, "site");
    expect((await askDaemon(dataDir, "POST", "/site/walk-test", { minutes: 60 })).status).toBe(200);
  });

  /** A page on which the end of the walk test fails. */
  async function pageAt(address: string, width: number): Promise<PanelPage> {
    const page = await site.page(address);
    await page.look("light", width);
    await screenAt(page, address).complete();
    await page.failRequests("**/site/walk-test");
    return page;
  }

  describe.each(WIDTHS)("in a window of %i pixels", (width) => {
    test.each(["plan", "zones/form?zone=z1", "interventions/new", "settings?open=accounts"])(
      "leaves every button of %s within reach, and moves none",
      async (address) => {
        const page = await pageAt(address, width);
        await reachAll(page, screenAt(page, address), page.walkBanner, () =>
          page.walkBanner.button("End walk test").click(),
        );
        await page.close();
      },
      TIMEOUT_MS,
    );

    test("leaves every button of a dialog within reach", async () => {
      const page = await pageAt("zones", width);
      await page.failRequests("**/site/zones/z2/bypass");
      const sheet = await page.openZone("Contact 2");
      await sheet.button("Bypass…").click();
      const question = page.dialog("Bypass Contact 2");
      await question.field("Reason").fill("painter");
      await reachAll(page, page.screen("zones"), question, () => question.button("Bypass zone").click());
      await page.close();
    });
  });

  test("goes with its screen, and stays while that screen only shows something else", async () => {
    const page = await pageAt("zones", 1280);
    await page.walkBanner.button("End walk test").click();
    const close = page.notice.button("Close");
    await close.shown();
    const sheet = await page.openZone("Contact 3");
    await sheet.button("Close").and(sheet.markup(".sheet-head button")).click();
    await sheet.gone();
    await close.shown();
    await page.open("zones?q=Contact");
    await page.screen("zones").tile("Contact 4").shown();
    await close.shown();
    await page.follow("Log");
    await page.screen("events").complete();
    await close.gone();
    await page.close();
  });
});
