import { afterEach, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { freePort } from "../support/loopback.ts";
import type { Words } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { startScriptedBroker, type ScriptedBroker } from "../support/scripted-broker.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const LOOKS_TIMEOUT_MS = 120_000;
/** What would have no effect. */
const INVITATIONS = ["Acționați unul", "Acționați-l o dată"];

describeWithBrowser("an installer who adds a zone without a broker", () => {
  let site: PanelSite | undefined;
  let broker: ScriptedBroker | undefined;
  afterEach(async () => {
    await site?.stop();
    await broker?.stop();
    site = broker = undefined;
  });

  /** @param mqtt the broker in the configuration @param words of the reason, in English and Romanian */
  async function readsWhy(
    mqtt: string,
    { en, ro }: { readonly en: Words; readonly ro: Words },
  ): Promise<void> {
    site = new PanelSite(
      "",
      `site: { name: Hala Nord, ref: hala-nord }\nhttp: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }\n` +
        `mqtt: ${mqtt}\ngpio: { backend: simulated }\n`,
    );
    await site.start();
    const page = await site.page("zones/found");
    const found = page.screen("zones/found");
    const sensors = found.region("Sensors found");
    await sensors.text(/^Sensors cannot be found without a broker/).shown();
    await sensors.text(en).shown();
    await page.speak("RO");
    await found
      .region("Senzori găsiți")
      .text(/^Fără broker nu se pot găsi senzori/)
      .shown();
    await found.region("Senzori găsiți").text(ro).shown();
    for (const invitation of INVITATIONS) expect(await found.words()).not.toContain(invitation);
    const open = (): Promise<void> => found.markup("[data-broker]").shown();
    expect(await violationsInAllThemes(page, open, ["Hala Nord"])).toEqual([]);
    await found.link("The broker in the effective configuration").click();
    await page.screen("settings").columnHeader("Option").shown();
    expect(site.pageErrors).toEqual([]);
  }

  test(
    "reads that none is configured, and finds the option",
    () => readsWhy("off", { en: "no MQTT broker configured", ro: "niciun broker MQTT configurat" }),
    LOOKS_TIMEOUT_MS,
  );

  test(
    "reads that it is unreachable, with the reason",
    async () => {
      const url = `mqtt://127.0.0.1:${await freePort()}`;
      await readsWhy(`{ url: "${url}" }`, { en: /ECONNREFUSED|refused/, ro: /ECONNREFUSED|refuz/ });
    },
    LOOKS_TIMEOUT_MS,
  );

  test(
    "reads that its account may read nothing",
    async () => {
      broker = await startScriptedBroker({ authorizeSubscribe: (_client, _topic, done) => done(null, null) });
      await readsWhy(`{ url: "${broker.url}" }`, {
        en: /^the broker does not allow this account to read any topic$/,
        ro: /^brokerul nu permite acestui cont să citească niciun topic$/,
      });
    },
    LOOKS_TIMEOUT_MS,
  );
});
