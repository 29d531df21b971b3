import { beforeEach, describe, expect, test } from "vitest";
import { DEVICE_USER, OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest, type ScriptedResponse } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* The centre of another vendor answers for a deleted record in an error format of its own. */

const ANSWERS: readonly [what: string, answer: ScriptedResponse][] = [
  ["410", json(410, {})],
  ["410 as a page", { status: 410, headers: { "Content-Type": "text/html" }, body: "<html>Gone</html>" }],
  ["404 in another format", json(404, { detail: "Not found." })],
];

let centre: InMemoryCentre;
let site: SyncingSite;
beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

const isOfOne = ({ method, path }: ReceivedRequest): boolean =>
  method !== "POST" && /^\/interventii\/\d+$/.test(path);

/** Requests for one record that the centre does not have are answered like this. */
function answerMissing(answer: ScriptedResponse): void {
  centre.instead = (request) =>
    isOfOne(request) && !centre.rows.has(Number(request.path.split("/").at(-1))) ? answer : undefined;
}

/** A linked record, and a newer one. */
async function linked(): Promise<number> {
  const { id } = site.create({ name: "Call 1" });
  site.create({ name: "Call 2" });
  await site.push.cycle();
  return id;
}

describe.each(ANSWERS)("a record that is answered %s", (_what, answer) => {
  beforeEach(() => answerMissing(answer));

  test("is found missing by the list, and a trip that joins it is sent as a record of its own", async () => {
    const id = await linked();
    centre.rows.delete(1);
    await site.minutes(6);
    expect(site.entry(id)).toMatchObject({ phase: "linked", missingSinceMs: expect.any(Number) });
    expect(site.outbox.summary().doubtful).toBe(1);
    await site.minutes(6);
    expect(site.entry(id).phase).toBe("gone");
    expect(site.conditions()).toEqual(["upstream-rejects-records"]);
    site.app.interventions.change(id, { body: { notes: "03:41 Window" }, hasTripJoined: true }, DEVICE_USER);
    await site.minutes(6);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 3 });
    expect(centre.rows.get(3)).toMatchObject({ notes: expect.stringContaining("03:41 Window") });
    expect(site.conditions()).toEqual([]);
  });

  test("although it is in the list stays linked", async () => {
    const id = await linked();
    centre.instead = (request) => (isOfOne(request) && request.path.endsWith("/1") ? answer : undefined);
    await site.minutes(30);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect([...centre.rows.keys()]).toEqual([1, 2]);
  });

  test("and is deleted here too is closed", async () => {
    const id = await linked();
    centre.rows.delete(1);
    site.app.interventions.delete(id, OPERATOR_USER);
    await site.minutes(6);
    expect(site.entry(id).phase).toBe("closed");
    expect(site.conditions()).toEqual([]);
  });
});

test.each([
  ["in the format of the interface", { error: "Gone", message: "deleted", statusCode: 410 }],
  ["in that of a gateway", {}],
])("a deletion that is answered 410 %s is repeated until the record is missing", async (_what, body) => {
  const id = await linked();
  let answers = 0;
  centre.instead = ({ method }) => {
    if (method !== "DELETE" || answers > 0) return undefined;
    answers += 1;
    return json(410, body);
  };
  site.app.interventions.delete(id, OPERATOR_USER);
  await site.push.cycle();
  expect(site.entry(id).phase).toBe("linked");
  await site.minutes(6);
  expect([...centre.rows.keys()]).not.toContain(1);
  expect(site.entry(id).phase).toBe("closed");
  expect(site.conditions()).toEqual([]);
});

test("a deletion that was applied and answered 410 is done", async () => {
  const id = await linked();
  centre.afterwards = ({ method }) => (method === "DELETE" ? json(410, {}) : undefined);
  site.app.interventions.delete(id, OPERATOR_USER);
  await site.push.cycle();
  await site.minutes(6);
  expect(site.entry(id).phase).toBe("closed");
});
