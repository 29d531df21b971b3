import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { reportNow } from "../support/fleet.ts";
import type { PanelPage, Screen } from "../support/panel-page.ts";
import { deadCentre, PanelSite } from "../support/panel-site.ts";

/* Where the parts of a screen are: what an accessibility check does not see. */

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The box of the first part of a complete screen that a CSS selector finds. */
function boxOf(screen: Screen, selector: string): Promise<Box> {
  return screen.evaluate<Box>(
    `part.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().toJSON()`,
  );
}

function middleOf({ left, right }: Box): number {
  return (left + right) / 2;
}

/** The words of a screen's part that are cut in two by the end of a line. */
function cutWords(screen: Screen, selector: string): Promise<string[]> {
  return screen.evaluate<
    string[]
  >(`[...part.querySelectorAll(${JSON.stringify(selector)})].flatMap((cell) => {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const cut = [];
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      for (const { 0: word, index } of text.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
        if (new Set(tops).size > 1) cut.push(word);
      }
    }
    return cut;
  })`);
}

/** The texts of rows that are higher than two lines, each of 20 pixels, or 22 in a badge, and the space around them. */
function highRows(screen: Screen): Promise<string[]> {
  return screen.evaluate<string[]>(
    `[...part.querySelectorAll("tbody tr")].filter((row) => row.offsetHeight > 54).map((row) => row.textContent)`,
  );
}

/** The texts that match a selector and end in an ellipsis. */
function shortened(screen: Screen, selector: string): Promise<string[]> {
  return screen.evaluate<string[]>(
    `[...part.querySelectorAll(${JSON.stringify(selector)})]
      .filter((each) => each.scrollHeight > each.clientHeight + 2).map((each) => each.textContent)`,
  );
}

function areInOneRow(one: Box, other: Box): boolean {
  return one.top < other.bottom && other.top < one.bottom;
}

describeWithBrowser("the parts of a screen", () => {
  const site = PanelSite.running(deadCentre());
  let page: PanelPage;
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "front-door"]);
    page = await site.page("interventions");
  });

  test("the sign-in is in the middle of a laptop", async () => {
    const outside = await site.signedOutPage();
    await outside.look("dark", 1280);
    await outside.openFirst();
    await outside.screen("sign-in").input("email").shown();
    expect(middleOf(await boxOf(outside.screen("sign-in"), ".narrow"))).toBeCloseTo(640, -1);
    await outside.close();
  });

  test("the heads of a table stand above their columns on a laptop", async () => {
    await page.look("light", 1280);
    const list = page.screen("interventions");
    await list.markup("td.lead").shown();
    for (const [head, cell] of [
      ["th:first-child button", "td.lead a"],
      ["th:nth-child(5) button", "td:nth-child(5) div"],
    ] as const)
      expect((await boxOf(list, head)).left).toBeCloseTo((await boxOf(list, cell)).left, 0);
  });

  test("the filters of the interventions and their order take one row below the search on a phone", async () => {
    await page.look("light", 470);
    const list = page.screen("interventions");
    await list.markup("td.lead").shown();
    const tops = await list.evaluate<number[]>(
      "[...part.querySelectorAll('.filter-chips .field')].map((field) => field.getBoundingClientRect().top)",
    );
    const [search = 0, ...choices] = tops;
    expect([choices.length, new Set(choices).size]).toEqual([6, 1]);
    expect(choices[0]).toBeGreaterThan(search);
  });

  describe("on a phone, in Romanian", () => {
    beforeAll(async () => {
      await page.speak("RO");
      await page.look("light", 360);
    });

    test("the title of the interventions and their button share a row, and a record has its menu in its corner", async () => {
      const list = page.screen("interventions");
      await list.markup("td.lead").shown();
      expect(areInOneRow(await boxOf(list, "h1"), await boxOf(list, ".head .button"))).toBe(true);
      const [menu, name, row] = [
        await boxOf(list, "td .menu button"),
        await boxOf(list, "td.lead a"),
        await boxOf(list, "tbody tr"),
      ];
      expect(areInOneRow(menu, name)).toBe(true);
      expect(row.right - menu.right).toBeLessThan(4);
    });

    test("an objective has its status in the words of the panel", async () => {
      const objectives = await page.open("objectives");
      await objectives.text("activ · Str. Fabricii 7").shown();
      await page.open("interventions");
    });

    test("the title of an intervention and its actions share a row", async () => {
      const screen = await page.open("interventions/1");
      await screen.markup(".journey").shown();
      expect(areInOneRow(await boxOf(screen, "h1"), await boxOf(screen, ".head .menu"))).toBe(true);
    });

    test("the stops of the journey keep their distance", async () => {
      const screen = await page.open("interventions/1");
      await screen.markup(".journey").shown();
      const gaps = await screen.evaluate<number[]>(`(() => {
        const ends = [...part.querySelectorAll(".journey b")].map((name) => {
          const range = document.createRange();
          range.selectNodeContents(name);
          return range.getBoundingClientRect();
        });
        return ends.slice(1).map(({ left }, index) => left - ends[index].right);
      })()`);
      expect(gaps.length).toBe(3);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(7);
    });

    test("each time of the journey takes one line, and all of it is inside its card", async () => {
      // Also after a screen with a style sheet of its own.
      await (await page.open("zones/edit")).complete();
      const home = await page.open("status");
      await home.markup(".journey").shown();
      const { lines, room } = await home.evaluate<{ lines: number[]; room: number }>(`(() => {
        const rects = [...part.querySelectorAll(".journey li")].map((stop) => {
          const texts = document.createTreeWalker(stop, NodeFilter.SHOW_TEXT);
          const found = [];
          while (texts.nextNode()) {
            const range = document.createRange();
            range.selectNodeContents(texts.currentNode);
            found.push(...[...range.getClientRects()].filter(({ width }) => width > 2));
          }
          return found;
        });
        const { right } = part.querySelector(".journey").closest(".card").getBoundingClientRect();
        return {
          lines: rects.map((each) => new Set(each.map(({ top }) => Math.round(top))).size),
          room: right - Math.max(...rects.flat().map((rect) => rect.right)),
        };
      })()`);
      // Below the name of the contact is its time, below that of the record the time of the record.
      expect([lines[0], lines[2]]).toEqual([2, 2]);
      expect(room).toBeGreaterThan(0);
    });

    test("the warning of suppressed fire alarms stays in view when a button with the focus vanishes, as at the sign-in", async () => {
      await site.daemon.run(["zones", "bypass", "--zone", "smoke", "--reason", "painters"]);
      const home = await page.open("status");
      await home.markup(".journey").shown();
      const warning = (): Promise<Box> =>
        page.lifeSafetyBanner.evaluate<Box>("part.getBoundingClientRect().toJSON()");
      const before = await warning();
      await home.evaluate(`(() => {
        const button = part.insertBefore(document.createElement("button"), null);
        button.focus({ preventScroll: true });
        button.remove();
      })()`);
      await eventually("the focus in the content", () =>
        page.evaluate<boolean>("document.activeElement?.id === 'content'"),
      );
      expect(await warning()).toEqual(before);
      await site.daemon.run(["zones", "restore", "--zone", "smoke"]);
    });

    test("the history of the zones has room for a day beside their names", async () => {
      const zones = await page.open("zones");
      await zones.markup(".lanes .lane >> nth=0").shown();
      const { left, right } = await boxOf(zones, ".lane svg");
      expect(right - left).toBeGreaterThan(110);
    });

    test("a tablet and a small laptop have the names of the interventions in whole words", async () => {
      const interventions = await page.open("interventions");
      await interventions.markup("td.lead").shown();
      for (const width of [768, 1000]) {
        await page.look("light", width);
        const broken = await interventions.evaluate<string[]>(`(() => {
          const { firstChild: text } = part.querySelector("td.lead a span");
          return [...text.data.matchAll(/\\S+/g)].flatMap(({ 0: word, index }) => {
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            return range.getClientRects().length === 1 ? [] : [word];
          });
        })()`);
        expect([width, broken]).toEqual([width, []]);
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(width);
      }
    });
  });
});

/** Names as installers give them, at objectives with long names. */
const LONG_NAMES = `site: { name: Hala Nord și Depozitul frigorific Est Cluj, ref: hala-nord-depozit-est }
http: { port: 0, hosts: [${PANEL_HOST}] }
mqtt: off
gpio: { backend: simulated }
outputs: [{ name: sirena-exterioara-nord, on: alarm, gpio: 23 }]
objectives:
  obiective/cladiri:
    - { id: 12, name: Hala Nord }
    - { id: 13, name: Depozit frigorific și rampă de încărcare Est, address: "Bulevardul Muncii nr. 18, corp C2, parter", city: Cluj-Napoca }
    - { id: 14, name: "Sediul administrativ, Bulevardul Eroilor 14" }
zones:
  - { id: door, name: Contact magnetic ușă secundară depozit Est, kind: intrusion, objective: &store { type: obiective/cladiri, id: 13 }, input: { simulated: true } }
  - { id: fence, name: Barieră infraroșu gard perimetral latura Nord, kind: perimeter, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }
  - { id: water, name: Senzor de inundație subsol stație pompare, kind: flood, objective: { type: obiective/cladiri, id: 14 }, input: { simulated: true } }
${Array.from({ length: 40 }, (_none, index) => `  - { id: pir-${index}, name: Detector de mișcare culoar etaj ${index}, kind: motion, objective: *store, input: { simulated: true } }`).join("\n")}
`;

describeWithBrowser("long names in Romanian", () => {
  const site = PanelSite.running(deadCentre(), LONG_NAMES);
  let page: PanelPage;
  beforeAll(async () => {
    for (const zone of ["door", "fence", "water"]) await site.daemon.run(["trip", "--zone", zone]);
    const record = {
      name: "Verificare semestrială a detectoarelor din depozit",
      objectiveType: "obiective/cladiri",
      objectiveId: 14,
      status: "in_progress",
    };
    await askDaemon(join(site.installation.folder, "site"), "POST", "/interventii", record);
    page = await site.page("interventions");
    await page.speak("RO");
  });

  test("take at most two lines of a row of the interventions on a laptop, in whole words and with their ends", async () => {
    const list = await page.open("interventions");
    await list.link("Verificare semestrială a detectoarelor din depozit").shown();
    await list.markup("td .badge:has-text('încercarea') >> nth=0").shown();
    for (const width of [1280, 1440, 1920]) {
      await page.look("light", width);
      expect([width, await highRows(list)]).toEqual([width, []]);
      expect([width, await cutWords(list, "tbody td")]).toEqual([width, []]);
      expect([width, await shortened(list, "td.lead .two-lines")]).toEqual([width, []]);
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(width);
    }
    await page.speak("EN");
    await page.look("light", 1280);
    expect([await highRows(list), await cutWords(list, "tbody td")]).toEqual([[], []]);
    await page.speak("RO");
    // Its facts are a third line where they have no columns.
    await page.look("light", 1100);
    expect(await cutWords(list, "tbody td")).toEqual([]);
    expect(
      Math.max(
        ...(await list.evaluate<number[]>(
          "[...part.querySelectorAll('tbody tr')].map((row) => row.offsetHeight)",
        )),
      ),
    ).toBeLessThanOrEqual(70);
  });

  test("take two lines of the objectives, however many zones an objective has", async () => {
    const list = await page.open("objectives");
    await list.text(/Detector de mișcare culoar etaj 39/).present();
    for (const width of [1100, 1280]) {
      await page.look("light", width);
      expect([width, await highRows(list)]).toEqual([width, []]);
      expect([width, await cutWords(list, "tbody td")]).toEqual([width, []]);
    }
  });

  test("leave their place to the latest events on Home and to the outputs", async () => {
    const home = await page.open("status");
    await home.markup(".latest .log").shown();
    for (const width of [1100, 1280, 360]) {
      await page.look("light", width);
      const [title, link] = [await boxOf(home, ".latest h2"), await boxOf(home, ".latest .row a")];
      expect(title.right <= link.left || title.bottom <= link.bottom - 20).toBe(true);
    }
    const walk = await page.open("walk-test");
    await walk.markup("b:text-is('sirena-exterioara-nord')").shown();
    const row = "section[aria-label] .items > .row";
    expect((await boxOf(walk, `${row} .badge`)).top).toBeGreaterThan((await boxOf(walk, `${row} b`)).bottom);
    expect(await cutWords(walk, `${row} b`)).toEqual([]);
  });
});

describeWithBrowser("the list of sites", () => {
  const centre = PanelSite.running(
    "",
    `site: { ref: centre, name: Dispecerat, locale: ro }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n` +
      `objectives: { obiective/cladiri: [ { id: 1, name: Hala Nord } ] }\n`,
    "centre",
  );
  const FAULTS = [
    "Detector optic de fum depozit frigorific",
    "Contact magnetic ușă secundară depozit Est",
  ].map((zone) => ({ zone, fault: "tamper" as const }));

  test("has a row of two lines for each on a laptop, and its reasons below its name on a phone", async () => {
    for (const [ref, name] of [
      ["depozit-frigorific-est", "Depozit frigorific și rampă de încărcare Est"],
      ["sediu-eroilor-14", "Sediul administrativ, Bulevardul Eroilor 14"],
    ] as const) {
      const report = { ...reportNow(), ref, name, level: "fault", faults: FAULTS };
      const { status } = await askDaemon(
        join(centre.installation.folder, "site"),
        "POST",
        "/site-reports",
        report,
      );
      expect(status).toBe(204);
    }
    const page = await centre.page("sites");
    await page.speak("RO");
    const list = page.screen("sites");
    await list.link("Sediul administrativ, Bulevardul Eroilor 14").shown();
    for (const width of [1100, 1280, 1440]) {
      await page.look("light", width);
      expect([width, await highRows(list)]).toEqual([width, []]);
      expect([width, await cutWords(list, "tbody td:not(:has(code))")]).toEqual([width, []]);
      expect([width, await shortened(list, "td.lead .two-lines")]).toEqual([width, []]);
    }
    await page.look("light", 360);
    const [name, state, time, why] = [
      await boxOf(list, "td.lead a span"),
      await boxOf(list, "td.state .badge"),
      await boxOf(list, "td.time div"),
      await boxOf(list, "td.wide:not(.lead)"),
    ];
    expect(state.top).toBeGreaterThanOrEqual(name.bottom);
    expect(areInOneRow(state, time)).toBe(true);
    expect(why.top).toBeGreaterThanOrEqual(state.bottom);
  });
});

describeWithBrowser("the screens of a site without zones", () => {
  const frame = `http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }\nmqtt: off\ngpio: { backend: simulated }\n`;
  const site = PanelSite.running("", `site: { name: Hala Nord, ref: hala-nord }\n${frame}zones: []\n`);

  test("lead on with a button in the middle, without a search for nothing", async () => {
    const page = await site.page("zones");
    const zones = page.screen("zones");
    await zones.link("Add the first zone").shown();
    expect(middleOf(await boxOf(zones, ".empty .button"))).toBeCloseTo(
      middleOf(await boxOf(zones, ".empty")),
      0,
    );
    await zones.without(zones.markup("input[type=search]"));
    const list = await page.open("zones/edit");
    await list.text("No zones yet.").shown();
    await list.markup(".rows").hidden();
    await page.close();
  });

  test("the buttons of a zone form take one row on a phone, above the bottom bar", async () => {
    const page = await site.page("zones/found");
    await page.speak("RO");
    await page.look("light", 360);
    await page.screen("zones/found").link("Zonă simulată").click();
    const form = page.screen("zones/form");
    await form.markup(".always-in-view").shown();
    const { top, bottom } = await boxOf(form, ".always-in-view");
    expect(bottom - top).toBeLessThan(70);
  });
});
