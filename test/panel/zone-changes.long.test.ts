import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { EDGE } from "../support/installation.ts";
import type { PanelPage, Part, Screen } from "../support/panel-page.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

/* No zone is lost where changes in the browser meet slow responses, changes by others, and other changes of the same user. */

const BASE = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 12, name: Hala Nord }] }
`;
const zone = (id: string, name: string, more: string): string =>
  `  - { id: ${id}, name: ${name}, objective: { type: obiective/cladiri, id: 12 }, ${more} }\n`;
const USA = zone("usa", "Ușa", "kind: intrusion, input: { gpio: 17, contact: nc }");
const GEAM = zone("geam", "Geam", "kind: glass, input: { gpio: 18 }");
const HOL = zone("hol", "Hol", "kind: motion, input: { gpio: 19 }");
const READ = "**/site/configuration/zones";
const APPLY = "**/site/configuration/apply";

describeWithBrowser("an installer who changes zones", () => {
  const site = PanelSite.running("", `${BASE}zones:\n${USA}${GEAM}`);
  let page: PanelPage;
  let edit: Screen;
  let form: Screen;
  let review: Screen;
  const file = (): string => join(site.installation.folder, "site.yaml");
  const content = (): string => readFileSync(file(), "utf8");
  /** The configuration file with these zones, as another user or an editor leaves it. */
  const write = (...zones: readonly string[]): void =>
    writeFileSync(file(), `${content().split("zones:\n")[0]}zones:\n${zones.join("")}`);
  const ids = (): (string | undefined)[] =>
    [...content().matchAll(/- (?:\{ )?id: ([\w-]+)/g)].map(([, id]) => id);
  const menu = (name: string): Part => edit.button(`Actions for ${name}`);
  const disable = async (name: string): Promise<void> => {
    await menu(name).click();
    await edit.button("Disable").click();
    await page.press("Escape");
  };
  /** Saves what is reviewed, up to the answer of the daemon. */
  const save = async (): Promise<void> => {
    await review.field("Your password").fill(EDGE.password);
    await review.button("Save").click();
  };
  const leave = (): Promise<void> =>
    review.link("Back").and(review.markup(".button.plain:not([aria-label])")).click();
  const removed = (): Part => review.markup(".diff .removed");
  const added = (): Part => review.markup(".diff .added");

  beforeEach(async () => {
    write(USA, GEAM);
    page = await site.page("zones/edit");
    [edit, form, review] = [
      page.screen("zones/edit"),
      page.screen("zones/form"),
      page.screen("zones/review"),
    ];
    await menu("Ușa").shown();
  });
  afterEach(async () => {
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });

  test("edits no list that was read before a zone was added", async () => {
    await page.open("zones/found");
    await page.screen("zones/found").complete();
    write(USA, GEAM, HOL);
    const slow = await page.holdResponses(READ);
    await page.open("zones/edit");
    await slow.held();
    await menu("Geam").hidden();
    slow.release();
    await menu("Hol").shown();
  });

  test("deletes no zone that was added after the list was read", async () => {
    await disable("Ușa");
    await menu("Geam").click();
    await edit.button("Move up").click();
    await page.press("Escape");
    write(USA, HOL, GEAM);
    await edit.link("Add a zone").click();
    await page.screen("zones/found").complete();
    await page.open("zones/edit");
    await menu("Hol").shown();
    await edit.text("2 changes are not saved yet.").shown();
    // Once more in the meantime: the screen does not know this zone.
    write(USA, HOL, GEAM, zone("tablou", "Tablou", "kind: tamper, input: { gpio: 20 }"));
    await edit.button("Review the change").click();
    await save();
    await page.screen("zones/saved").heading("Saved").shown();
    expect(ids()).toEqual(["geam", "tablou", "usa", "hol"]);
    expect(content()).toMatch(/id: usa.*disabled: true/);
  });

  test("changes only the options of a zone that were changed in the form", async () => {
    await menu("Ușa").click();
    await edit.link("Edit").click();
    await form.field("Name").fill("Ușa mare");
    write(USA.replace("intrusion", "perimeter"), GEAM);
    await form.button("Review the change").click();
    expect(await added().words()).toMatch(/name: Ușa mare.*kind: perimeter/);
  });

  test("leaves no reviewed change to the next user", async () => {
    await disable("Ușa");
    await edit.button("Review the change").click();
    await review.field("Your password").shown();
    await page.signOut();
    await page.dialog("Leave without saving?").button("Discard changes").click();
    await signIn(page);
    await review.text("There is no change to save.").shown();
    const list = await page.open("zones/edit");
    await list.without(list.button("Review the change"));
  });

  test("adds a copy at the end when the zone behind its original is gone", async () => {
    await menu("Ușa").click();
    await edit.link("Copy").click();
    await form.field("GPIO line (BCM number)").fill("22");
    write(USA);
    await form.button("Review the change").click();
    await review.text(/^\+ +- id: usa-copy$/).shown();
    await removed().hidden();
  });

  test("keeps the unsaved changes of the list while a copy is saved", async () => {
    await disable("Geam");
    await menu("Ușa").click();
    await edit.link("Copy").click();
    await form.field("GPIO line (BCM number)").fill("22");
    await form.button("Review the change").click();
    await save();
    await page.screen("zones/saved").heading("Saved").shown();
    expect(ids()).toEqual(["usa", "usa-copy", "geam"]);
    await page.open("zones/edit");
    await edit.text("1 change is not saved yet.").shown();
  });

  test("keeps a form that was begun while an earlier change was tried out", async () => {
    const slow = await page.holdResponses(APPLY);
    await disable("Geam");
    await edit.button("Review the change").click();
    await save();
    await slow.held();
    await leave();
    await menu("Ușa").click();
    await edit.link("Copy").click();
    await form.field("Name").fill("Ușa din spate");
    slow.release();
    await page.notice.text("Saved").shown();
    await form.field("Name").holds("Ușa din spate");
    expect(content()).toMatch(/id: geam.*disabled: true/);
  });

  test("sees elsewhere in the panel that a change was not saved, and still has it", async () => {
    const slow = await page.holdResponses(APPLY);
    await disable("Geam");
    await edit.button("Review the change").click();
    await removed().shown();
    write(USA, GEAM, HOL);
    await save();
    await slow.held();
    await leave();
    await menu("Hol").shown();
    slow.release();
    await page.notice.text(/has changed in the meantime/).shown();
    await edit.text("1 change is not saved yet.").shown();
  });

  /** A new zone that the file has, while its user has seen no response. */
  const saveWithoutResponse = async (): Promise<void> => {
    await menu("Ușa").click();
    await edit.link("Copy").click();
    await form.field("GPIO line (BCM number)").fill("22");
    await form.button("Review the change").click();
    await review.text(/^\+ +- id: usa-copy$/).shown();
    await page.loseNextResponse(APPLY);
    await save();
    await review.button("Read the file again").shown();
    expect(ids()).toEqual(["usa", "usa-copy", "geam"]);
  };

  test("learns that a new zone was saved whose response was lost", async () => {
    await saveWithoutResponse();
    await review.button("Read the file again").click();
    await page.screen("zones/saved").heading("Saved").shown();
    expect(await page.isAskedOn("reload", true)).toBe(false);
  });

  test("learns the same in the form of the zone", async () => {
    await saveWithoutResponse();
    await leave();
    await form.button("Review the change").click();
    await page.screen("zones/saved").heading("Saved").shown();
  });

  test("changes a new zone that was saved without a response, instead of adding it twice", async () => {
    await saveWithoutResponse();
    await leave();
    await form.field("Name").fill("Ușa din spate");
    await form.button("Review the change").click();
    await review.text(/^\+ .*name: Ușa din spate/).shown();
    // The password was given a moment ago.
    await review.button("Save").click();
    await page.screen("zones/saved").heading("Saved").shown();
    expect(ids()).toEqual(["usa", "usa-copy", "geam"]);
    expect(content()).toMatch(/Ușa din spate/);
  });

  test("says that a new zone that was saved without a response keeps its id", async () => {
    await saveWithoutResponse();
    await leave();
    await form.text("Advanced options").click();
    await form.field("Short name for commands").fill("usa-spate");
    await form.field("Name").fill("Ușa din spate");
    await form.button("Review the change").click();
    await form.text(/^The zone is already saved with the short name usa-copy, which stays\./).shown();
    await page.speak("RO");
    await form.button("Verificare modificare").click();
    await review.text(/^\+ .*name: Ușa din spate/).shown();
    await page.speak("EN");
    await review.button("Save").click();
    const saved = page.screen("zones/saved");
    await saved.heading("Saved").shown();
    await saved.tile("Ușa din spate").shown();
    expect(ids()).toEqual(["usa", "usa-copy", "geam"]);
  });

  test("saves once with two presses", async () => {
    const slow = await page.holdResponses(APPLY);
    await disable("Geam");
    await edit.button("Review the change").click();
    await review.field("Your password").fill(EDGE.password);
    await review.markup("form").evaluate("[1, 2].forEach(() => part.requestSubmit())");
    await slow.held();
    slow.release();
    await page.screen("zones/saved").heading("Saved").shown();
    expect(slow.count()).toBe(1);
  });
});
