import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import type { SiteDetail, SiteView } from "../../src/generated/types.ts";
import type { SiteReport } from "../../src/domain/site-report.ts";
import { TestApp } from "../support/app.ts";
import { REPORT } from "../support/fleet.ts";

let centre: TestApp;
let tokens: Readonly<Record<"administrator" | "operator" | "viewer", string>>;
beforeEach(async () => {
  centre = await TestApp.forTest();
  tokens = await centre.tokenOfEach();
});

type Role = keyof typeof tokens;

function post(report: unknown, role: Role = "operator") {
  return request(centre.app)
    .post("/site-reports")
    .set("Authorization", `Bearer ${tokens[role]}`)
    .send(report as object);
}

function get(path: string, role: Role = "operator") {
  return request(centre.app).get(path).set("Authorization", `Bearer ${tokens[role]}`);
}

async function listed(query = ""): Promise<string[]> {
  return ((await get(`/sites${query}`).expect(200)).body as SiteView[]).map(({ report }) => report.ref);
}

test("a report is taken from an operator only, and is validated", async () => {
  await request(centre.app).post("/site-reports").send(REPORT).expect(401);
  await post(REPORT, "viewer").expect(403);
  const { headers } = await post(REPORT).expect(204);
  // The headers that protect a browser would double the traffic of a site on a radio link.
  expect(Object.keys(headers)).toEqual(["date"]);
  const wrong: Partial<Record<keyof SiteReport, unknown>>[] = [
    { ref: "" },
    { ref: "a b" },
    { name: "x".repeat(101) },
    { name: "a\u0007b" },
    { level: "fine" },
    { at: -1 },
    { upS: 1.5 },
    { objective: "obiective/cladiri/0" },
    { conditions: Array.from({ length: 41 }, () => "disk-full") },
    { conditions: ["Disk full"] },
    { faults: [{ zone: "gate" }] },
    { backlog: { records: 0, oldestS: 1 } },
    { cardWear: 120 },
  ];
  for (const fields of wrong) {
    const { status, body } = await post({ ...REPORT, ...fields });
    expect([status, fields], JSON.stringify(body)).toEqual([400, fields]);
  }
  expect(await listed()).toEqual(["hala-nord"]);
});

test("the report of a newer site is taken, without the fields that are not known here", async () => {
  await post({ ...REPORT, mood: "good", faults: [{ zone: "Poarta", fault: "masked" }] }).expect(204);
  const [site] = (await get("/sites").expect(200)).body as SiteView[];
  expect(site?.report).toEqual({ ...REPORT, faults: [{ zone: "Poarta", fault: "masked" }] });
});

test("nothing of a report is kept that is not known here, also within its parts", async () => {
  const known = {
    ...REPORT,
    level: "fault",
    reasons: [{ code: "zone-faults", count: 1, names: ["Poarta"] }],
    faults: [{ zone: "Poarta", fault: "tamper" }],
    backlog: { records: 1, oldestS: 3 },
    compared: { ageS: 1, differing: 0 },
  };
  for (const more of ["\0", "\ud800", "x".repeat(15_000)]) {
    const sent = {
      ...known,
      reasons: known.reasons.map((one) => ({ ...one, more })),
      faults: known.faults.map((one) => ({ ...one, more: { deep: [more] } })),
      backlog: { ...known.backlog, more },
      compared: { ...known.compared, [more.slice(0, 9)]: more },
    };
    await post(sent).expect(204);
    const [site] = (await get("/sites").expect(200)).body as SiteView[];
    expect(site?.report).toEqual(known);
  }
});

test("of a report with very long names, the faults that make it longer than 16 kB are counted only", async () => {
  const faults = Array.from({ length: 40 }, () => ({ zone: "🚪".repeat(100), fault: "tamper" }));
  await post({ ...REPORT, level: "fault", faults, moreFaults: 2 }).expect(204);
  const [site] = (await get("/sites").expect(200)).body as SiteView[];
  const { faults: kept = [], moreFaults = 0 } = site?.report ?? {};
  expect(kept.length + moreFaults).toBe(42);
  expect(kept.length).toBeGreaterThan(30);
  expect(Buffer.byteLength(JSON.stringify(site?.report))).toBeLessThanOrEqual(16_384);
});

test("a name has no characters that hide it or turn it around", async () => {
  await post({ ...REPORT, ref: "hidden", name: "\u202ehala\u200b nord" }).expect(204);
  await post({ ...REPORT, ref: "blank", name: " \u200b\u2066 " }).expect(204);
  const { body } = await request(centre.app)
    .get("/sites?_sort=name")
    .set("Authorization", `Bearer ${await centre.token()}`);
  const names = (body as { report: { ref: string; name: string } }[]).map(({ report }) => report);
  expect(names.find(({ ref }) => ref === "hidden")?.name).toBe("hala  nord");
  expect(names.find(({ ref }) => ref === "blank")?.name).toBe("blank");
});

test("the sites are listed in pages, filtered and searched", async () => {
  for (const [ref, level] of [
    ["a", "well"],
    ["b", "fault"],
    ["c", "alarm"],
    ["d", "fault"],
  ] as const) {
    await post({ ...REPORT, ref, name: `Hală ${ref.toUpperCase()}`, level }).expect(204);
    centre.clock.advance(1_000);
  }
  expect(await listed()).toEqual(["c", "b", "d", "a"]);
  expect(await listed("?level=fault&level=well")).toEqual(["b", "d", "a"]);
  expect(await listed("?q=hala%20c")).toEqual(["c"]);
  expect(await listed("?silent=1")).toEqual([]);
  expect(await listed("?silent=0&level=well&strict=1")).toEqual(["a"]);
  expect(await listed("?_sort=name&_order=DESC")).toEqual(["d", "c", "b", "a"]);
  const page = await get("/sites?_start=1&_end=3").expect(200);
  expect((page.body as SiteView[]).map(({ report }) => report.ref)).toEqual(["b", "d"]);
  expect(page.headers["x-total-count"]).toBe("4");
  expect(page.headers["link"]).toMatch(/_start=3&_end=5>; rel="next"/);
  expect((await get("/sites/summary").expect(200)).body).toEqual({
    alarm: 1,
    fault: 2,
    attention: 0,
    well: 1,
    silent: 0,
  });
  await get("/sites?level=fine").expect(400);
  await get("/sites?_sort=mood").expect(400);
  // As in the other lists: empty is absent, and twice is a mistake.
  expect(await listed("?_sort=&_order=")).toEqual(await listed(""));
  await get("/sites?silent=0&silent=1").expect(400);
  await get("/sites?silent=perhaps").expect(400);
  await get("/sites", "viewer").expect(403);
});

test("a site is shown with its history, and removed by an administrator only", async () => {
  await post(REPORT).expect(204);
  await post({ ...REPORT, level: "fault" }).expect(204);
  const id = ((await get("/sites")).body as SiteView[])[0]?.id ?? 0;
  const { site, history } = (await get(`/sites/${id}`).expect(200)).body as SiteDetail;
  expect(site).toMatchObject({ level: "fault", clockOffsetMs: 0, silentSince: null });
  expect(history.map(({ event, detail }) => `${event} ${detail}`)).toEqual([
    "level fault",
    "first-report well",
  ]);
  await get(`/sites/${id + 1}`).expect(404);
  const remove = (role: Role) =>
    request(centre.app).delete(`/sites/${id}`).set("Authorization", `Bearer ${tokens[role]}`);
  await remove("operator").expect(403);
  await remove("administrator").expect(204);
  await remove("administrator").expect(404);
  expect(await listed()).toEqual([]);
});

test("a site has the time after which it is silent, its own or that of all", async () => {
  const times = { silentS: 600, sites: { bank: 20 } };
  const own = await TestApp.forTest({ silenceTimes: () => times });
  const ask = async (path: string, report?: SiteReport) => {
    const authorization = { Authorization: `Bearer ${await own.token()}` };
    const sent = report ? request(own.app).post(path).send(report) : request(own.app).get(path);
    return sent.set(authorization);
  };
  for (const ref of ["bank", "shed"]) await ask("/site-reports", { ...REPORT, ref });
  const { body } = await ask("/sites?_sort=reportedAt");
  const details = (body as SiteView[]).map(async ({ id }) => (await ask(`/sites/${id}`)).body as SiteDetail);
  const known = (await Promise.all(details)).map(({ site, silentS }) => [site.report.ref, silentS]);
  expect(Object.fromEntries(known)).toEqual({ bank: 20, shed: 600 });
});

test("a sign-in tells that reports are taken here", async () => {
  const { headers } = await request(centre.app)
    .post("/auth/token")
    .send({ email: "operator@test.example", password: "correct horse battery staple" })
    .expect(200);
  expect(headers["site-reports"]).toBe("1");
});
