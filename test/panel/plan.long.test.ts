import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import { describeWithBrowser } from "../support/browser.ts";
import type { PlanView } from "../../src/site/plan-view.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

/** A drawing with a script in it, as a stranger could send it to an installer. */
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300">
  <script>document.title = "taken over"</script>
  <path d="M10 10h380v280h-380z" fill="none" stroke="black" stroke-width="4"/></svg>`;

const NAMES = ["Ușa principală", "PIR hol", "Fum depozit", "Parter", "Hala Nord"];

/** Four looks in each language, on a busy machine. */
const LOOKS_TIMEOUT_MS = 120_000;

describeWithBrowser("a floor plan", () => {
  const site = PanelSite.running();
  let page: PanelPage;
  const daemon = (): ControlClient => new ControlClient(join(site.installation.folder, "site"));
  beforeAll(async () => {
    writeFileSync(join(site.installation.folder, "plan.svg"), DRAWING);
    writeFileSync(join(site.installation.folder, "plan.txt"), "not a picture");
    page = await site.page("plan");
  });

  test(
    "says what it is for before there is one",
    async () => {
      await page
        .screen("plan")
        .text(/^No floor plan yet/)
        .shown();
      const open = async (): Promise<void> => (await page.open("plan")).markup(".empty").shown();
      expect(await violationsInAllThemes(page, open, NAMES)).toEqual([]);
    },
    LOOKS_TIMEOUT_MS,
  );

  test("is uploaded, and its zones are placed by keyboard", async () => {
    const form = await page.open("plan/new");
    await form.input("name").fill("Parter");
    await form.input("picture").setFile(join(site.installation.folder, "plan.txt"));
    await form.button("Upload plan").click();
    await form.text("The browser cannot open this file as a picture.").shown();
    await form.input("picture").setFile(join(site.installation.folder, "plan.svg"));
    await form.button("Upload plan").click();
    const editor = page.screen("plan/1/edit");
    await editor.image("Plan: Parter").shown();
    await editor.button("Fum depozit").click();
    await editor.button("Fum depozit: 50 % from the left, 50 % from the top").click();
    await page.press("ArrowRight");
    await page.press("ArrowUp");
    await editor.pressedButton("Fum depozit: 51 % from the left, 49 % from the top").shown();
    await editor.button("Save").click();
    await page.screen("plan/1").button("Fum depozit: No fire").shown();
    const [plan] = await site.daemon.get<PlanView[]>("/site/plans");
    expect(plan).toMatchObject({
      name: "Parter",
      type: "image/png",
      pins: [{ zone: "smoke", x: 51, y: 49 }],
    });
    expect(await page.evaluate<string>("document.title")).not.toMatch(/taken over/);
  });

  test("is in the log with what was done to it, in the language of the user", async () => {
    const other = await site.page("events");
    const log = other.screen("events");
    await log.text(/^edge@site.example added the floor plan Parter/).shown();
    await log.text(/^edge@site.example changed the floor plan Parter/).shown();
    await other.speak("RO");
    await log.text(/^edge@site.example a adăugat planul Parter/).shown();
    expect(await log.words()).not.toMatch(/change: |added|changed/);
    await other.close();
  });

  test("shows an alarm in its place, and its way", async () => {
    const screen = await page.open("plan/1");
    await site.daemon.run(["trip", "--zone", "smoke"]);
    await screen.button("Fum depozit: Fire!").and(screen.markup(".pin.s-alarm")).click();
    await screen.listItem(/^Contact/).shown();
    await screen.link("Intervention #1").shown();
  });

  test(
    "is accessible and not clipped in every look, shown and edited",
    async () => {
      // Without the notices of the tests before, which stay in their language.
      const other = await site.page("plan");
      for (const address of ["plan/1?zone=smoke", "plan/1/edit", "plan/new"]) {
        const mark = address === "plan/new" ? "form" : ".plan img";
        const open = async (): Promise<void> => (await other.open(address)).markup(mark).shown();
        expect(await violationsInAllThemes(other, open, NAMES)).toEqual([]);
      }
      expect([site.foreignRequests, site.pageErrors]).toEqual([[], []]);
    },
    LOOKS_TIMEOUT_MS,
  );

  test("turns a tested zone green, and no longer once it gets another sensor", async () => {
    const other = await site.page("plan/1");
    const screen = other.screen("plan/1");
    const pins = [{ zone: "hall", x: 20, y: 20 }];
    const before = await daemon().get<PlanView[]>("/site/plans");
    await daemon().put("/site/plans/1", { pins });
    await daemon().post("/site/walk-test", { minutes: 10 });
    for (const contact of ["open", "normal"])
      await daemon().post("/site/simulate", { zone: "hall", contact });
    await other.reload();
    await screen.button("PIR hol: Tested").shown();
    const file = join(site.installation.folder, "site.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("gpio: 27", "gpio: 22"));
    site.daemon.hangUp();
    await screen.button("PIR hol: No motion").shown();
    await daemon().post("/site/walk-test", { end: true });
    await daemon().put("/site/plans/1", { pins: before[0]?.pins ?? [] });
    await other.close();
  });

  test("keeps what another administrator has placed on it in the meantime", async () => {
    await page.speak("EN");
    const editor = await page.open("plan/1/edit");
    await editor.button("PIR hol").click();
    const door = { zone: "front-door", x: 10, y: 20 };
    const smoke = { zone: "smoke", x: 30, y: 40 };
    await daemon().put("/site/plans/1", { name: "Etajul 1", pins: [smoke, door] });
    await editor.button("Save").click();
    await page.screen("plan/1").button("PIR hol: No motion").shown();
    expect(await daemon().get<PlanView[]>("/site/plans")).toMatchObject([
      { name: "Etajul 1", pins: [smoke, door, { zone: "hall", x: 62, y: 50 }] },
    ]);
  });

  test("has each new pin beside the former ones, and a quick hand drags it to its place", async () => {
    await page.open("plan");
    const editor = await page.open("plan/1/edit");
    await editor.image("Plan: Etajul 1").shown();
    for (const zone of ["PIR hol", "Ușa principală", "Fum depozit"]) {
      await editor.markup(`.pin[aria-label^="${zone}"]`).click();
      await editor.button(`Remove ${zone} from the plan`).click();
    }
    for (const zone of ["PIR hol", "Ușa principală", "Fum depozit"]) await editor.button(zone).click();
    await editor.button("PIR hol: 50 % from the left, 50 % from the top").shown();
    await editor.button("Ușa principală: 62 % from the left, 50 % from the top").shown();
    const smoke = editor.markup('.pin[data-zone="smoke"]');
    await editor.button("Fum depozit: 74 % from the left, 50 % from the top").shown();
    const size = await editor
      .markup(".plan")
      .evaluate<{ width: number; height: number }>(
        "({ width: part.offsetWidth, height: part.offsetHeight })",
      );
    await page.drag(smoke, -0.6 * size.width, -0.3 * size.height);
    await editor.pressedButton(/^Fum depozit: 14 % from the left, (19|20|21) % from the top$/).shown();
    await editor.link("Cancel").click();
  });

  test("tells the user what another administrator has moved in the meantime, in both languages, before it is replaced", async () => {
    for (const [language, text] of [
      ["EN", /Another user has changed this in the meantime: Fum depozit\. Nothing was saved/],
      ["RO", /Alt utilizator a modificat între timp: Fum depozit\. Nu s-a salvat nimic/],
    ] as const) {
      await page.speak(language);
      const smoke = { zone: "smoke", x: 30, y: 40 };
      await daemon().put("/site/plans/1", { pins: [smoke] });
      const editor = await page.open("plan/1/edit");
      await editor.button(/^Fum depozit: 30 %/).click();
      await page.press("ArrowRight");
      const moved = { ...smoke, x: 70 };
      await daemon().put("/site/plans/1", { pins: [moved] });
      await editor.button(language === "EN" ? "Save" : "Salvare").click();
      await editor.text(text).shown();
      expect(await daemon().get<PlanView[]>("/site/plans")).toMatchObject([{ pins: [moved] }]);
      await editor.button(language === "EN" ? "Save" : "Salvare").click();
      await page
        .screen("plan/1")
        .button(/^Fum depozit: /)
        .shown();
      expect(await daemon().get<PlanView[]>("/site/plans")).toMatchObject([{ pins: [{ ...smoke, x: 31 }] }]);
    }
  });

  test("keeps what another administrator has placed and named in the meantime, also at the second attempt after a conflict", async () => {
    await page.speak("EN");
    const smoke = { zone: "smoke", x: 30, y: 40 };
    const hall = { zone: "hall", x: 20, y: 20 };
    await daemon().put("/site/plans/1", { pins: [smoke, hall] });
    const editor = await page.open("plan/1/edit");
    await editor.button(/^Fum depozit: 30 %/).click();
    await page.press("ArrowRight");
    const others = [
      { ...smoke, x: 70 },
      { ...hall, x: 80 },
      { zone: "front-door", x: 10, y: 20 },
    ];
    await daemon().put("/site/plans/1", { name: "Mansarda", pins: others });
    await editor.button("Save").click();
    await editor.text(/in the meantime: Fum depozit\. Nothing was saved/).shown();
    await editor.button(/^PIR hol: 80 %/).shown();
    await editor.button("Save").click();
    await page.screen("plan/1").image("Plan: Mansarda").shown();
    const [, movedHall, door] = others;
    expect(await daemon().get<PlanView[]>("/site/plans")).toMatchObject([
      { name: "Mansarda", pins: [movedHall, door, { ...smoke, x: 31 }] },
    ]);
    await daemon().put("/site/plans/1", { name: "Etajul 1" });
  });

  test("is edited as it was saved a moment ago, also on a slow link", async () => {
    const slow = await page.holdResponses("**/site/plans");
    await daemon().put("/site/plans/1", { pins: [] });
    await page.screen("plan/1").markup("a[href$='plan/1/edit']").click();
    await slow.held();
    const editor = page.screen("plan/1/edit");
    await editor.image("Plan: Etajul 1").hidden();
    slow.release();
    await editor.button("Fum depozit").shown();
  });

  test("is uploaded once, however often its user presses on a slow link", async () => {
    const context = await site.context();
    await context.clock.install();
    const other = await site.page("plan/new", context);
    const form = other.screen("plan/new");
    const upload = await other.holdResponses("**/site/plans?name=*");
    await form.input("picture").setFile(join(site.installation.folder, "plan.svg"));
    await form.input("name").fill("Demisol");
    await other.press("Enter");
    await upload.held();
    await context.clock.fastForward(60_000);
    await other.press("Enter");
    upload.release();
    await other.screen("plan/2/edit").image("Plan: Demisol").shown();
    expect(upload.count()).toBe(1);
    await other.close();
  });

  test("of another floor is never shown under the zones of this one; a failed picture is loaded after the next connection", async () => {
    await page.speak("EN");
    await daemon().put("/site/plans/1", { pins: [{ zone: "smoke", x: 30, y: 40 }] });
    const first = await page.open("plan/1");
    await page.reload();
    await first.image("Plan: Etajul 1").shown();
    const slow = await page.holdResponses("**/site/plans/2/picture");
    await first.button("Demisol").click();
    await slow.held();
    const second = page.screen("plan/2");
    await second.pressedButton("Demisol").shown();
    await second.markup(".plan img").hidden();
    slow.release();
    await second.image("Plan: Demisol").shown();
    const failing = await page.failRequests("**/site/plans/1/picture");
    await second.button(/^Etajul 1/).click();
    await first.markup(".box.s-fault").text("The daemon is not responding. Try again.").shown();
    await first.button(/^Fum depozit: /).shown();
    await first.button("Retry").click();
    await first.markup(".box.s-fault").shown();
    await failing.stop();
    await page.setHidden(true);
    await page.setHidden(false);
    await first.image("Plan: Etajul 1").shown();
    await first.without(first.markup(".box.s-fault"));
    await daemon().delete("/site/plans/2");
  });

  test("that does not exist is not edited: the screen leads to the others", async () => {
    const editor = await page.open("plan/99/edit");
    await editor.text("This floor plan does not exist, or has been deleted.").shown();
    await editor.link("Go to the floor plans").click();
    await page.screen("plan").image("Plan: Etajul 1").shown();
  });

  test("is deleted after a question; its zones stay", async () => {
    await page.speak("EN");
    const editor = await page.open("plan/1/edit");
    await editor.button("Delete plan").click();
    await page.openDialog.button("Delete plan").click();
    await page
      .screen("plan")
      .text(/^No floor plan yet/)
      .shown();
  });
});
