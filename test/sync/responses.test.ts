import { beforeEach, describe, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import {
  notFound,
  json,
  NonconformingCentre,
  type ScriptedResponse,
} from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

let centre: NonconformingCentre;
let site: SyncingSite;
beforeEach(async () => {
  centre = new NonconformingCentre();
  site = await SyncingSite.at(centre);
});

const made = (id: number): ScriptedResponse => json(201, { id, name: "Patrol", crews: 1 });
const html = (status: number): ScriptedResponse => ({
  status,
  headers: { "Content-Type": "text/html" },
  body: "<html>Sign in to the network</html>",
});

describe("the response to a POST", () => {
  const cases: readonly [what: string, answer: ScriptedResponse, phase: string, conditions: string[]][] = [
    ["400", json(400, { message: "bad" }), "rejected", ["upstream-rejects-records"]],
    ["413", json(413, {}), "rejected", ["upstream-rejects-records"]],
    ["415", json(415, {}), "rejected", ["upstream-rejects-records"]],
    ["422", json(422, {}), "rejected", ["upstream-rejects-records"]],
    ["404 of the interface", notFound("no objective"), "blocked", ["upstream-rejects-records"]],
    ["404 of some web server", html(404), "new", ["upstream-unexpected-service"]],
    ["409", json(409, {}), "new", []],
    ["425", json(425, {}), "new", ["upstream-unreachable"]],
    ["429", json(429, {}), "new", ["upstream-unreachable"]],
    ["429 with a time", json(429, {}, { "Retry-After": "60" }), "new", ["upstream-unreachable"]],
    ["403", json(403, {}), "new", ["upstream-authentication-failed"]],
    ["408", json(408, {}), "unsure", ["upstream-unreachable"]],
    ["500", json(500, {}), "unsure", []],
    ["502", html(502), "unsure", ["upstream-unreachable"]],
    ["503", json(503, {}), "unsure", ["upstream-unreachable"]],
    ["504", html(504), "unsure", ["upstream-unreachable"]],
    ["501", json(501, {}), "new", ["upstream-unexpected-service"]],
    ["405", html(405), "new", ["upstream-unexpected-service"]],
    [
      "a redirect",
      { status: 302, headers: { Location: "http://127.0.0.1:1/" } },
      "new",
      ["upstream-unexpected-service"],
    ],
    ["a sign-in page", html(200), "new", ["upstream-unexpected-service"]],
    ["a page as 201", html(201), "unsure", ["upstream-unexpected-service"]],
    ["201 with nothing", { status: 201, body: "" }, "unsure", ["upstream-unexpected-service"]],
    ["200 with a record", json(200, { id: 1 }), "unsure", ["upstream-unexpected-service"]],
    ["202", json(202, {}), "unsure", ["upstream-unexpected-service"]],
    ["204", { status: 204 }, "unsure", ["upstream-unexpected-service"]],
    ["201 without an id", json(201, { ok: true }), "unsure", ["upstream-unreachable"]],
    ["201 with an id as text", json(201, { id: "7" }), "unsure", ["upstream-unreachable"]],
    ["201 with half a body", { ...made(7), body: '{"id":7,' }, "unsure", ["upstream-unreachable"]],
    ["201 with a record", made(7), "linked", []],
  ];
  test.each(cases)("%s", async (_what, answer, phase, conditions) => {
    centre.answer = () => answer;
    // The read after the request of the record fails too, so the record is not the cause.
    centre.read = () => (centre.requests.length === 0 ? json(200, []) : answer);
    const { id } = site.create();
    await site.push.cycle();
    expect(site.entry(id).phase).toBe(phase);
    expect(site.conditions()).toEqual(conditions);
    expect(centre.requests.length).toBe(1);
  });

  test.each(cases.filter(([, , phase]) => phase === "new" || phase === "unsure"))(
    "%s is followed by a successful retry",
    async (_what, answer) => {
      centre.answer = () => (centre.requests.length === 1 ? answer : made(7));
      const { id } = site.create();
      await site.push.cycle();
      await site.cycleAfterWait();
      expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 7 });
      expect(site.conditions()).toEqual([]);
      const [first, second] = centre.requests;
      expect(second).toEqual(first);
    },
  );
});

describe("a record that an intermediary rejects", () => {
  const dislikes: readonly [what: string, answer: ScriptedResponse][] = [
    ["403", html(403)],
    ["405", html(405)],
    ["406", html(406)],
    ["408", html(408)],
    ["451", json(451, {})],
    ["500", json(500, {})],
    ["501", html(501)],
    ["502", html(502)],
    ["503", html(503)],
    ["504", html(504)],
    ["a redirect", { status: 302, headers: { Location: "http://127.0.0.1:1/" } }],
    ["a page", html(200)],
    ["an answer that is no record", json(201, {})],
  ];
  test.each(dislikes)("(%s) delays no other, neither before nor after it", async (_what, answer) => {
    centre.answer = ({ body }) => (body.includes("select * from") ? answer : made(centre.requests.length));
    const disliked = site.create({ notes: "select * from", priority: "high" });
    const alarm = site.create({ priority: "high" });
    const patrol = site.create();
    await site.push.cycle();
    expect([site.entry(alarm.id).phase, site.entry(patrol.id).phase]).toEqual(["linked", "linked"]);
    expect(site.entry(disliked.id)).toMatchObject({ attempts: 1, lastError: expect.any(String) });
    expect(site.link.state.state).toBe("up");

    const later = site.create();
    await site.push.cycle();
    expect(site.entry(later.id).phase).toBe("linked");
    centre.answer = () => made(99);
    await site.cycleAfterWait();
    expect(site.entry(disliked.id).phase).toBe("linked");
  });

  test("however often it is rejected pauses no other", async () => {
    centre.answer = ({ body }) => (body.includes("select * from") ? html(403) : made(centre.requests.length));
    const disliked = site.create({ notes: "select * from", priority: "high" });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await site.cycleAfterWait();
      expect(site.entry(disliked.id).attempts).toBe(attempt);
    }
    expect(site.link.state).toMatchObject({ state: "up", waitMs: 0 });
    const patrol = site.create();
    await site.push.cycle();
    expect(site.entry(patrol.id).phase).toBe("linked");
  });

  test("counts as a fault of the link when the next ones fail too", async () => {
    centre.answer = () => html(403);
    for (let count = 0; count < 10; count += 1) site.create();
    await site.push.cycle();
    expect(centre.requests).toHaveLength(3);
    expect(site.conditions()).toEqual(["upstream-authentication-failed"]);
    centre.answer = () => made(centre.requests.length);
    await site.cycleAfterWait();
    expect(site.outbox.summary().waiting).toBe(0);
  });
});

describe("a rejected record", () => {
  test("does not delay the others, shows the reason, and is sent under a new key after an edit", async () => {
    centre.answer = ({ body }) =>
      body.includes('"crews":1')
        ? json(400, { message: ["crews is odd", "really"] })
        : made(centre.requests.length);
    const refused = site.create({}, "k");
    const other = site.create({ crews: 2 });
    await site.push.cycle();
    expect(site.entry(refused.id)).toMatchObject({
      phase: "rejected",
      lastError: "answered 400: crews is odd; really",
    });
    expect(site.entry(other.id).phase).toBe("linked");

    await site.cycleAfterWait();
    expect(centre.requests).toHaveLength(2);
    site.app.interventions.update(refused.id, { crews: 3 }, OPERATOR_USER);
    await site.push.cycle();
    expect(site.entry(refused.id).phase).toBe("linked");
    expect(centre.requests.map(({ key }) => key)).toEqual(['"k"', expect.any(String), '"k.2"']);
  });

  test("that is deleted is not sent again", async () => {
    centre.answer = () => json(422, {});
    const { id } = site.create();
    await site.push.cycle();
    centre.answer = () => made(7);
    site.app.interventions.delete(id, OPERATOR_USER);
    await site.cycleAfterWait();
    expect(site.entry(id)).toMatchObject({ phase: "closed", sends: 0 });
    expect(centre.requests).toHaveLength(1);
  });

  test("whose update is rejected is deleted there when it is deleted on site", async () => {
    centre.answer = ({ method }) => (method === "POST" ? made(7) : json(400, {}));
    const { id } = site.create();
    await site.push.cycle();
    site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
    await site.push.cycle();
    centre.answer = () => ({ status: 204 });
    site.app.interventions.delete(id, OPERATOR_USER);
    await site.push.cycle();
    expect(site.entry(id).phase).toBe("closed");
    expect(centre.requests.at(-1)).toMatchObject({ method: "DELETE", path: "/interventii/7" });
  });

  test("whose update is rejected stays linked", async () => {
    centre.answer = ({ method }) => (method === "POST" ? made(7) : json(400, { message: "no" }));
    const { id } = site.create();
    await site.push.cycle();
    site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
    await site.push.cycle();
    expect(site.entry(id)).toMatchObject({ phase: "rejected", upstreamId: 7 });
    centre.answer = () => json(200, { id: 7, crews: 4 });
    site.app.interventions.update(id, { crews: 4 }, OPERATOR_USER);
    await site.push.cycle();
    expect(site.entry(id)).toMatchObject({ phase: "linked", syncedRev: 3 });
    expect(centre.requests.at(-1)).toMatchObject({ method: "PUT", path: "/interventii/7" });
  });
});

test.each([
  ["120", 120_000],
  ["99999999", 3_600_000],
  [new Date(Date.UTC(2026, 10, 20, 21, 35)).toUTCString(), 300_000],
])("a Retry-After of %s is respected", async (text, waitMs) => {
  const date = new Date(site.app.clock.wallMs()).toUTCString();
  const busy = json(503, {}, { Date: date, "Retry-After": text });
  centre.answer = () => busy;
  centre.read = () => (centre.requests.length === 0 ? json(200, []) : busy);
  site.create();
  await site.push.cycle();
  expect(site.link.state.waitMs).toBe(waitMs);
});

describe("a centre that asks for time with a Retry-After", () => {
  const busy = (seconds: number): ScriptedResponse => json(503, {}, { "Retry-After": String(seconds) });

  test("for each of ten records of one kind delays no other: each of them waits alone", async () => {
    centre.answer = ({ method, body }) => {
      if (method === "PUT") return json(200, { id: 1, name: "Patrol", crews: 2 });
      return body.includes('"priority":"medium"') ? busy(30) : made(1);
    };
    const stored = site.create({ priority: "low" });
    await site.push.cycle();
    expect(site.entry(stored.id).phase).toBe("linked");
    const refused = Array.from({ length: 10 }, () => site.create({ priority: "medium" }));
    site.app.interventions.update(stored.id, { crews: 2 }, OPERATOR_USER);
    await site.push.cycle();
    expect(site.entry(stored.id)).toMatchObject({ wantRev: 2, syncedRev: 2 });
    expect(site.link.state).toMatchObject({ state: "up", waitMs: 0 });
    const nowMs = site.app.clock.wallMs();
    for (const { id } of refused)
      expect(site.entry(id)).toMatchObject({ phase: "unsure", attempts: 1, nextAtMs: nowMs + 30_000 });
    expect(centre.requests).toHaveLength(12);

    centre.answer = () => made(centre.requests.length);
    for (let look = 0; look < 4; look += 1) await site.cycleAfterWait();
    expect(site.outbox.summary().waiting).toBe(0);
  });

  test("for an hour gets a waiting alarm after a minute, and the other records after the hour", async () => {
    let isBusy = true;
    centre.answer = () => (isBusy ? busy(3600) : made(centre.requests.length));
    centre.read = () => (isBusy && centre.requests.length > 0 ? busy(3600) : json(200, []));
    const patrol = site.create({ priority: "medium" });
    await site.push.cycle();
    const alarm = site.create({ priority: "high" });
    site.app.clock.advance(59_000);
    await site.push.cycle();
    expect(site.link.state.waitMs).toBe(3_541_000);
    expect(site.entry(alarm.id).sends).toBe(0);
    isBusy = false;
    site.app.clock.advance(1_000);
    await site.push.cycle();
    expect(site.entry(alarm.id).phase).toBe("linked");
    expect(site.link.state.state).toBe("up");
    expect(site.entry(patrol.id).phase).toBe("unsure");
  });
});

test("an update without a response is repeated", async () => {
  centre.answer = ({ method }) => (method === "POST" ? made(7) : json(502, {}));
  const { id } = site.create();
  await site.push.cycle();
  site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
  await site.push.cycle();
  expect(site.entry(id)).toMatchObject({ phase: "linked", wantRev: 2, syncedRev: 1 });
  centre.answer = () => json(200, { id: 7 });
  await site.cycleAfterWait();
  expect(site.entry(id).syncedRev).toBe(2);
});

test("two records with one upstream id raise a condition, and the second is rejected", async () => {
  centre.answer = () => made(7);
  const first = site.create();
  const second = site.create();
  await site.push.cycle();
  expect(site.entry(first.id).phase).toBe("linked");
  expect(site.entry(second.id)).toMatchObject({
    phase: "rejected",
    lastError: expect.stringMatching(/restored from a backup/),
  });
});

describe("a failed sign-in", () => {
  test.each([
    ["401", json(401, {}), "upstream-authentication-failed"],
    ["403", json(403, {}), "upstream-authentication-failed"],
    ["404", notFound(), "upstream-unexpected-service"],
    ["a sign-in page", html(200), "upstream-unexpected-service"],
    ["a token that is no text", json(200, { token: 5, expiresIn: 3600 }), "upstream-unexpected-service"],
    ["502", html(502), "upstream-unreachable"],
    ["429", json(429, {}), "upstream-unreachable"],
  ])("because of %s sends no record and loses none", async (_what, answer, condition) => {
    centre.signIn = () => answer;
    const { id } = site.create();
    await site.push.cycle();
    expect(centre.requests).toEqual([]);
    expect(site.entry(id)).toMatchObject({ phase: "new", sends: 0 });
    expect(site.conditions()).toEqual([condition]);
    expect(centre.signIns).toBe(1);
  });

  test("with a token that is never accepted is tried only twice", async () => {
    centre.answer = () => json(401, {});
    site.create();
    await site.push.cycle();
    expect(centre.signIns).toBe(2);
    expect(site.conditions()).toEqual(["upstream-authentication-failed"]);
  });
});

test("one sign-in serves many records, and is renewed at four fifths of its lifetime, despite clock steps", async () => {
  centre.answer = () => made(centre.requests.length);
  site.create();
  site.create();
  await site.push.cycle();
  site.app.clock.advance(2_870_000);
  site.app.clock.stepWall(86_400_000);
  site.create();
  await site.push.cycle();
  expect(centre.signIns).toBe(1);
  site.app.clock.advance(20_000);
  site.create();
  await site.push.cycle();
  expect(centre.signIns).toBe(2);
  expect(centre.requests).toHaveLength(4);
});

describe("a rejected attempt after an unconfirmed one", () => {
  let rows: Record<string, unknown>[];
  let firstBody = "";
  const arrive = (body: string): ScriptedResponse => {
    const row = { id: rows.length + 1, ...(JSON.parse(body) as object) };
    rows.push(row);
    return made(row.id);
  };

  /** Unconfirmed, then rejected, then edited. */
  async function edited(meanwhile: () => void): Promise<number> {
    rows = [];
    centre.read = ({ path }) =>
      path.includes("?")
        ? json(200, rows.toReversed())
        : json(200, rows.find(({ id }) => path.endsWith(`/${String(id)}`)) ?? {});
    centre.answer = ({ body }) => {
      firstBody = body;
      return json(504, {});
    };
    const { id } = site.create({}, "k");
    await site.push.cycle();
    centre.answer = () => json(400, {});
    await site.cycleAfterWait();
    expect(site.entry(id)).toMatchObject({ phase: "rejected", possiblyDuplicated: true });
    meanwhile();
    site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
    centre.answer = ({ method, body }) =>
      method === "POST" ? arrive(body) : json(200, { ...rows[0], ...(JSON.parse(body) as object) });
    site.app.clock.advance(200_000);
    await site.push.cycleWithChecks();
    return id;
  }

  test("that arrived is found and updated to the edit", async () => {
    const id = await edited(() => arrive(firstBody));
    expect(rows).toHaveLength(1);
    expect(centre.requests.at(-1)).toMatchObject({ method: "PUT", body: '{"crews":3}' });
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
  });

  test("that arrives after its edited successor ends as one record", async () => {
    const id = await edited(() => {});
    arrive(firstBody);
    const deleted: string[] = [];
    centre.answer = ({ path }) => {
      deleted.push(path);
      return { status: 204 };
    };
    site.app.clock.advance(901_000);
    await site.push.cycleWithChecks();
    expect(deleted).toEqual(["/interventii/2"]);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(site.app.interventions.get(id).record.crews).toBe(3);
  });
});

test.each([
  ["410", json(410, {})],
  ["404 of a gateway", html(404)],
])("several records that are read with %s do not take the link down", async (_what, answer) => {
  centre.answer = () => made(centre.requests.length);
  for (let count = 0; count < 5; count += 1) site.create();
  await site.push.cycle();
  centre.read = ({ path }) => (path.includes("?") ? json(200, []) : answer);
  site.app.clock.advance(300_000);
  await site.push.cycleWithChecks();
  expect(centre.reads.filter(({ path }) => !path.includes("?"))).toHaveLength(5);
  expect(site.link.state.state).toBe("up");
  expect(site.conditions()).toEqual([]);
});
