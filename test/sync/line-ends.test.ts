import { beforeEach, expect, test } from "vitest";
import { DEVICE_USER, OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatch centre whose form in the browser saves texts with CRLF, as HTML prescribes it. */

const LINES = "03:27 Door\n03:41 Window";

let centre: InMemoryCentre;
let site: SyncingSite;
let id: number;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
  ({ id } = site.create({ priority: "high", notes: LINES }));
  await site.push.cycle();
});

async function looks(): Promise<void> {
  for (let look = 0; look < 3; look += 1) {
    site.app.clock.advance(400_000);
    await site.push.cycleWithChecks();
  }
}

function saveForm(extra = ""): void {
  const notes = String(centre.rows.get(1)?.["notes"]).replace("\n[ref", `${extra}\n[ref`);
  centre.edit(1, { notes: notes.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") });
}

test("a saved form is no change, and a dispatcher's line is taken over without carriage returns", async () => {
  saveForm();
  await looks();
  expect(site.app.interventions.get(id).record.notes).toBe(LINES);
  saveForm("\ncrew 4 sent");
  await looks();
  expect(site.app.interventions.get(id).record.notes).toBe(`${LINES}\ncrew 4 sent`);
  expect(centre.writes).toHaveLength(1);
});

test("a zone that is restored after a saved form has one line on both sides", async () => {
  saveForm("\ncrew 4 sent");
  await looks();
  const { notes } = site.app.interventions.get(id).record;
  const body = { notes: String(notes).replace("03:41 Window", "03:41 Window, restored 03:44") };
  site.app.interventions.change(id, { body, hasTripJoined: true }, DEVICE_USER);
  saveForm("\nowner called");
  await looks();
  const both = "03:27 Door\n03:41 Window, restored 03:44\ncrew 4 sent\nowner called";
  expect(site.app.interventions.get(id).record.notes).toBe(both);
  expect(String(centre.rows.get(1)?.["notes"]).replace(/\n\[ref.*/, "")).toBe(both);
});

test("a text that was typed with CRLF on site is sent once", async () => {
  site.app.interventions.update(id, { notes: "one\r\ntwo" }, OPERATOR_USER);
  await looks();
  expect(centre.writes.map(({ method }) => method)).toEqual(["POST", "PUT"]);
  expect(site.app.interventions.get(id).record.notes).toBe("one\r\ntwo");
});
