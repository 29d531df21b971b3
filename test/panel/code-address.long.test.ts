import { afterAll, beforeAll, expect, test } from "vitest";
import { claimAccount } from "../../src/ops/account-claim.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { PanelSite } from "../support/panel-site.ts";

const HINTS = { unanswered: "", refused: "", foreign: "" };

describeWithBrowser("the one-time code of a centre whose API has a path of its own", () => {
  let centre: PanelSite;
  beforeAll(async () => {
    centre = new PanelSite(
      "",
      `site: { ref: centre, name: Dispecerat }\nhttp: { port: 0, hosts: [${PANEL_HOST}], basePath: /api/v1 }\n` +
        "objectives: { obiective/cladiri: [ { id: 1, name: Hala Nord, address: Str. Fabricii 7 } ] }\n",
      "centre",
    );
    await centre.start();
  });
  afterAll(() => centre.stop());

  test("is shown with the address at which a site can use it", async () => {
    const sites = (await centre.page("sites")).screen("sites");
    await sites.text("Create a one-time code").click();
    await sites.field("Reference").fill("hala-est");
    await sites.button("Create the code").click();
    const command = await sites.text(/^sudo santinela enrol \S+ --centre http/).words();
    const [, , , code = "", , shown = ""] = command.split(" ");
    // Its pattern is that of the form in which a site enters the link.
    expect(await sites.text(/#enrol=/).words()).toBe(`${shown}/#enrol=${code}`);
    // Only the browser resolves the panel's host name.
    const address = new URL(shown);
    address.hostname = "127.0.0.1";
    const asked = { centre: address.href, ca: undefined, hints: HINTS };
    const account = await claimAccount(asked, { code, site: "hala-est", password: SITE_PASSWORD });
    expect(account).toMatchObject({ site: "hala-est", objectives: ["obiective/cladiri/1"] });
    expect(centre.pageErrors).toEqual([]);
  });
});
