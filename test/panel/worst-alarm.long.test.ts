import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { interventionsOf } from "../support/installation.ts";
import { deadCentre, PanelSite } from "../support/panel-site.ts";

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"></svg>`;

/** More newer alarms than the list of journeys, and than the names of a headline. */
const NEWER = 25;

const BURGLARY = {
  name: "Efracție",
  type: "other",
  status: "planned",
  priority: "high",
  objectiveType: "obiective/cladiri",
  objectiveId: 12,
  crews: 1,
  police: true,
};

describeWithBrowser("a fire alarm before many newer burglaries", () => {
  const site = PanelSite.running(deadCentre("phone: 0264 555 012", "undeliveredS: 5"));
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "smoke"]);
    await eventually("the fire", async () => (await interventionsOf(site.daemon)).length === 1);
    for (let n = 0; n < NEWER; n += 1) await daemon().post("/interventii", BURGLARY);
    // The contact is normal again: only the record says that it burns.
    await site.daemon.run(["trip", "--zone", "smoke", "--restore"]);
  });

  const daemon = (): ControlClient => new ControlClient(join(site.installation.folder, "site"));
  const status = (): Promise<StatusView> => site.daemon.get<StatusView>("/site/status");

  test("comes first in the state of the site and at the command line, with what the centre does not know", async () => {
    await eventually("the fire to be undelivered", async () => {
      const [first] = (await status()).journeys;
      return first?.zone?.id === "smoke" && first.centre?.isUndelivered === true;
    });
    const { headline } = await status();
    expect(headline.reasons[0]).toMatchObject({ code: "alarm-unfinished", count: NEWER + 1 });
    expect(headline.reasons[0]?.items[0]).toMatchObject({ about: "intervention", id: 1 });
    const folder = site.installation.folder;
    const { stdout } = await santinela(["status", "--config", join(folder, "site.yaml")], { cwd: folder });
    expect(stdout).toMatch(/ALARM: 26 unfinished alarms \(#1 /);
    expect(stdout).toMatch(/the dispatch centre has not received #1 .* yet; call 0264 555 012/);
  });

  test("is the card at the top of Home, and where the headline leads", async () => {
    const page = await site.page("status");
    const home = page.screen("status");
    await home.heading(`${NEWER + 1} alarms`).shown();
    await home
      .markup(".hero")
      .text(/^Fire alarm: Fum depozit, Efracție and 24 more · since /)
      .shown();
    await home.listItem(/Fum depozit.*Contact.*Journal.*Record.*Centre/).shown();
    const card = home.listItem(/Fum depozit.*Contact/);
    await card.text("The dispatch centre has NOT received this alarm yet.").shown();
    await home.link("Open intervention #1").click();
    await (await page.arrival(/^interventions\/1$/)).heading(/Fum depozit/).shown();
  });

  test("is one of twelve cards, with a link to the others", async () => {
    const page = await site.page("status");
    const home = page.screen("status");
    await home.text(/^12 of them are shown here, the most urgent\./).shown();
    await home.link("All unfinished interventions").click();
    await page
      .screen("interventions")
      .text(`1–20 of ${NEWER + 1}`)
      .shown();
    await page.close();
  });

  test("keeps its pin red in a walk test that has tested its detector", async () => {
    const page = await site.page("plan");
    writeFileSync(join(site.installation.folder, "plan.svg"), DRAWING);
    const form = await page.open("plan/new");
    await form.input("name").fill("Parter");
    await form.input("picture").setFile(join(site.installation.folder, "plan.svg"));
    await form.button("Upload plan").click();
    await page.screen("plan/1/edit").image("Plan: Parter").shown();
    const pins = [
      { zone: "smoke", x: 50, y: 50 },
      { zone: "front-door", x: 20, y: 20 },
    ];
    await daemon().put("/site/plans/1", { name: "Parter", pins });
    await daemon().post("/site/walk-test", { minutes: 10 });
    for (const zone of ["smoke", "front-door"]) {
      await site.daemon.run(["trip", "--zone", zone]);
      await site.daemon.run(["trip", "--zone", zone, "--restore"]);
    }
    const screen = await page.open("plan/1");
    await screen.button("Ușa principală: Tested").and(screen.markup(".pin.s-fine")).shown();
    await screen
      .button(/^Fum depozit: No fire, unfinished alarm/)
      .and(screen.markup(".pin.s-alarm"))
      .shown();
  });
});
