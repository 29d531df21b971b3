import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityFaults } from "../support/accessibility-checks.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { editableSite, PanelSite, signIn } from "../support/panel-site.ts";

/* What is wrong with a field is shown beside it, in the language of the panel; the browser of these tests is in English. */

/** In the page: the edges of a part, and those of what may cover it on a phone. */
const EDGES = `(() => {
  const { top, bottom } = part.getBoundingClientRect();
  const bar = part.ownerDocument.querySelector("nav").getBoundingClientRect();
  const head = part.ownerDocument.querySelector(".top").getBoundingClientRect();
  return { top, bottom, from: head.bottom, to: bar.top };
})()`;

/** Waits until a part is between the bars of a phone. */
async function inView(what: string, part: Part): Promise<void> {
  await eventually(what, async () => {
    const { top, bottom, from, to } =
      await part.evaluate<Record<"top" | "bottom" | "from" | "to", number>>(EDGES);
    return top >= from && bottom <= to;
  });
}

describeWithBrowser("a form on a phone", () => {
  const site = PanelSite.running("", editableSite("id: usa, name: Ușa, kind: intrusion"));
  let page: PanelPage;
  beforeAll(async () => {
    page = await site.page("interventions", await site.context({ viewport: { width: 360, height: 740 } }));
    await page.speak("RO");
  });
  afterAll(() => expect(site.pageErrors).toEqual([]));

  test("says what is missing beside its fields, leads to the first, and forgets it once it is entered", async () => {
    const form = await page.open("interventions/new");
    await form.input("crews").fill("5000");
    await form.markup("form button.main").click();
    const name = form.input("name");
    const missing = form.text("Câmpul este gol. Completați-l.");
    await missing.shown();
    await inView("the missing name", missing);
    await eventually("the focus in the first field", () => name.hasFocus());
    expect(await name.attribute("aria-invalid")).toBe("true");
    expect(await name.attribute("aria-describedby")).toBe(await missing.attribute("id"));
    await form.text("Valoarea este prea mare. Cea mai mare este 1000.").shown();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.speak("EN");
    await form.text("The value is too large. The largest is 1000.").shown();
    await page.speak("RO");
    await name.fill("Ronda");
    await missing.gone();
    expect(await name.attribute("aria-invalid")).toBeNull();
    await form.input("crews").fill("1");
    await form.text(/prea mare/).gone();
    // Nothing that would be lost with the screen.
    await name.fill("");
  });

  test("says that an address is not one", async () => {
    const form = await page.open("settings?open=accounts");
    await form.markup("details.subject details:has([name=role]) > summary").click();
    await form.input("email").fill("ana");
    await form.markup("details.subject details form button").click();
    await form.text("Nu este o adresă de e-mail, de exemplu nume@exemplu.ro.").shown();
    await form.input("email").fill("");
  });

  test("says beside the password that it is wrong, above the bar", async () => {
    await page.open("zones/form?zone=usa");
    const form = page.screen("zones/form");
    await form.input("name").fill("");
    await form.markup("button.main").click();
    await form.text("Câmpul este gol. Completați-l.").shown();
    await inView("the name of the zone", form.text("Câmpul este gol. Completați-l."));
    await form.input("name").fill("Ușa mare");
    await form.markup("button.main").click();
    const review = page.screen("zones/review");
    await review.input("password").fill("not this one at all");
    await page.press("Enter");
    const wrong = review.text("Parola este greșită.");
    await wrong.shown();
    await inView("the wrong password", wrong);
    expect(await review.input("password").attribute("aria-describedby")).toBe(await wrong.attribute("id"));
    await review.text(/^Modificările se confirmă cu parola/).hidden();
    expect(await accessibilityFaults(page)).toEqual([]);
    await review.input("password").fill("");
    await wrong.gone();
    await review.text(/^Modificările se confirmă cu parola/).shown();
  });

  test("of the sign-in says both in the language of the page", async () => {
    const context = await site.context({ locale: "ro-RO", viewport: { width: 360, height: 740 } });
    const outside = await site.signedOutPage(context);
    await outside.openFirst();
    const form = outside.screen("sign-in");
    await form.markup("button.main").click();
    await form.text("Câmpul este gol. Completați-l.").and(form.markup("[role=alert]")).shown();
    await signIn(outside, "not this one at all");
    await form.text("E-mail sau parolă greșită.").shown();
    await eventually("the focus in the password", () => form.input("password").hasFocus());
    await context.close();
  });
});
