import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ObjectiveStore } from "../../src/store/objectives.ts";
import { ObjectiveMirror, type ListOutcome } from "../../src/sync/objectives/objective-mirror.ts";
import { NextRun } from "../../src/sync/schedule.ts";
import { eventually } from "../support/eventually.ts";
import {
  json,
  notFound,
  NonconformingCentre,
  type ScriptedResponse,
  type ReceivedRequest,
} from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Conditional requests for lists that the site has read already, and how third-party dispatch centres answer them. */

const HOUR_MS = 3_600_000;
let centre: NonconformingCentre;
let site: SyncingSite;
let mirror: ObjectiveMirror;
/** Rows of the dispatch centre, by list. */
let there: Record<string, { id: number; name: string }[]>;
/** The ETag of a page. */
let tagOf: (list: string, rows: unknown[]) => string | undefined;
/** Whether the dispatch centre responds with 304. */
let isKnown: (tag: string | undefined, known: string) => boolean;
/** Encoding of a body for clients that accept gzip. */
let packed: (body: string) => ScriptedResponse["body"] | undefined;

beforeEach(async () => {
  centre = new NonconformingCentre();
  there = { cladiri: halls(450), bunuri: [{ id: 7, name: "Truck" }], persoane: [] };
  tagOf = (list, rows) =>
    `W/"${createHash("sha1")
      .update(JSON.stringify([list, rows]))
      .digest("hex")}"`;
  isKnown = (tag, known) => tag === known;
  packed = gzipSync;
  centre.read = answer;
  site = await SyncingSite.at(centre);
  mirror = mirrorOf();
  mirror.start();
});
afterEach(() => mirror.stop());

function halls(count: number): { id: number; name: string }[] {
  return Array.from({ length: count }, (_, index) => ({ id: index + 11, name: `Hala ${index + 11}` }));
}

function answer({ path, known, accepted }: ReceivedRequest): ScriptedResponse {
  const { pathname, searchParams } = new URL(path, "http://centre");
  const list = pathname.replace("/obiective/", "");
  const all = there[list];
  if (!all) return json(200, []);
  const rows = all.slice(Number(searchParams.get("_start")), Number(searchParams.get("_end")));
  const tag = tagOf(list, rows);
  const named: Record<string, string> = tag === undefined ? {} : { ETag: tag };
  if (known !== undefined && isKnown(tag, known)) return { status: 304, headers: named };
  const plain = json(200, rows, named);
  const body = accepted === "gzip" ? packed(String(plain.body)) : undefined;
  if (body === undefined) return plain;
  return { ...plain, headers: { ...plain.headers, "Content-Encoding": "gzip" }, body };
}

function mirrorOf(): ObjectiveMirror {
  const { clock, database } = site.app;
  return new ObjectiveMirror({
    centre: site.centre,
    link: site.link,
    database,
    clock,
    random: () => 0,
    log: site.log,
    conditions: site.health,
    baseUrl: "the centre",
    timetable: new NextRun(clock, () => Math.floor(clock.wallMs() / HOUR_MS + 1) * HOUR_MS),
    untilIdle: () => site.push.untilIdle(),
    onPulled: () => {},
  });
}

/** Requests of the site in one hour, by list: total and with a tag. */
const isTag = (known: string | undefined): boolean => known !== undefined && !known.includes("no-version");

async function hour(): Promise<{ asked: number; tagged: number; outcomes: (ListOutcome | undefined)[] }> {
  const before = centre.reads.length;
  site.app.clock.advance(HOUR_MS);
  mirror.runIfDue();
  await eventually(
    "the reading to be over",
    () => mirror.progress === undefined && centre.reads.length > before,
  );
  const reads = centre.reads.slice(before);
  const outcomes = (["cladiri", "bunuri", "persoane"] as const).map(
    (kind) => mirror.outcomes[`obiective/${kind}`],
  );
  const tagged = reads.filter(({ known }) => isTag(known)).length;
  return { asked: reads.length, tagged, outcomes };
}

const namesHere = (): string[] =>
  new ObjectiveStore(site.app.database)
    .list({
      type: "obiective/cladiri",
      ids: undefined,
      query: { filters: [], sort: [], start: 0, end: 20_000 },
    })
    .records.map((text) => (JSON.parse(text) as { readonly name: string }).name)
    .filter((name) => name.startsWith("Hala"));
const namesThere = (): string[] => (there["cladiri"] ?? []).map(({ name }) => name);
const rename = (name: string, index = 3): void =>
  void there["cladiri"]?.splice(index, 1, { id: 11 + index, name });

/** One tag for all pages of a list, as in the application. */
const ofTheList = (list: string): string =>
  `W/"${list}-${createHash("sha1").update(JSON.stringify(there)).digest("hex")}"`;

describe("a dispatch centre whose pages have ETags", () => {
  test("is requested with the tag of each page, and the mirror stays unchanged", async () => {
    const first = await hour();
    expect(first.tagged).toBe(0);
    const second = await hour();
    expect(second.asked).toBe(first.asked);
    expect(second.tagged).toBe(first.asked);
    expect(second.outcomes).toMatchObject([
      { result: "taken", read: 450, reason: null },
      { result: "taken", read: 1 },
      { result: "taken", read: 0 },
    ]);
    expect(namesHere()).toEqual(namesThere());
    expect(site.conditions()).toEqual([]);
  });

  test("sends only the changed page", async () => {
    await hour();
    rename("Hala Sud", 250);
    const seen: number[] = [];
    centre.read = (request) => {
      const answered = answer(request);
      seen.push(answered.status);
      return answered;
    };
    await hour();
    expect(seen.filter((status) => status === 200)).toHaveLength(1);
    expect(namesHere()).toEqual(namesThere());
    expect(namesHere()).toContain("Hala Sud");
  });

  test.each([
    ["added", () => there["cladiri"]?.push({ id: 5_000, name: "Hala Est" })],
    ["added before all others", () => there["cladiri"]?.unshift({ id: 5, name: "Hala Est" })],
    ["removed", () => there["cladiri"]?.splice(20, 1)],
  ])("has an objective %s, and the mirror follows within the hour", async (_what, change) => {
    await hour();
    change();
    await hour();
    expect(namesHere().toSorted()).toEqual(namesThere().toSorted());
    await hour();
    expect(namesHere().toSorted()).toEqual(namesThere().toSorted());
  });

  test("is read without tags once a day, when a person asks, and after a restart", async () => {
    await hour();
    const days = [];
    for (let time = 0; time < 26; time += 1) days.push((await hour()).tagged > 0);
    expect(days.filter((isTagged) => !isTagged)).toHaveLength(1);
    const before = centre.reads.length;
    await mirror.pull({ isLossAccepted: false });
    mirror = mirrorOf();
    mirror.start();
    mirror.runIfDue();
    await eventually("the reading to be over", () => mirror.outcomes["obiective/persoane"] !== undefined);
    const tags = centre.reads.slice(before).filter(({ known }) => isTag(known));
    expect(tags).toEqual([]);
  });

  test("sends a full page that the site has lost", async () => {
    await hour();
    site.app.database.exec("DELETE FROM centre_objectives WHERE id = 20");
    await hour();
    expect(namesHere()).toEqual(namesThere());
  });

  test("is asked again for an implausibly short list, which is accepted once it is complete", async () => {
    await hour();
    const all = there["cladiri"] ?? [];
    there["cladiri"] = all.slice(0, 10);
    expect((await hour()).outcomes[0]).toMatchObject({ result: "refused" });
    expect((await hour()).outcomes[0]).toMatchObject({ result: "refused" });
    there["cladiri"] = all;
    expect((await hour()).outcomes[0]).toMatchObject({ result: "taken" });
    expect(namesHere()).toEqual(namesThere());
    expect(site.conditions()).toEqual([]);
  });
});

describe("a dispatch centre with one ETag per list", () => {
  beforeEach(() => {
    tagOf = ofTheList;
  });

  test("receives three conditional requests an hour", async () => {
    await hour();
    expect(await hour()).toMatchObject({
      asked: 3,
      tagged: 3,
      outcomes: [{ result: "taken", read: 450 }, { read: 1 }, { read: 0 }],
    });
    expect(namesHere()).toEqual(namesThere());
  });

  test("is read again as soon as one row has changed", async () => {
    await hour();
    await hour();
    rename("Hala Sud", 449);
    await hour();
    expect(namesHere()).toEqual(namesThere());
    expect((await hour()).asked).toBe(3);
  });

  test("is read page by page when the site has lost a row", async () => {
    await hour();
    site.app.database.exec("DELETE FROM centre_objectives WHERE id = 400");
    await hour();
    expect(namesHere()).toEqual(namesThere());
  });
});

describe("a third-party dispatch centre", () => {
  const strange: [string, () => void][] = [
    ["ignores If-None-Match", () => (isKnown = () => false)],
    ["gives no tags", () => (tagOf = () => undefined)],
    ["gives another tag each time", () => (tagOf = () => `"${centre.reads.length}"`)],
    ["gives tags that are none", () => (tagOf = () => "version 1")],
    ["gives an empty tag", () => (tagOf = () => `""`)],
    ["gives a tag of ten thousand characters", () => (tagOf = (list) => `"${list}${"x".repeat(10_000)}"`)],
    ["gives all its lists the same tag, whatever is in them", () => (tagOf = () => `"1"`)],
    ["calls every page unchanged, whatever tag it is asked for", () => (isKnown = () => true)],
    [
      "calls every page unchanged without naming a tag",
      () => {
        centre.read = (request) => (request.known === undefined ? answer(request) : { status: 304 });
      },
    ],
    ["calls unchanged what it knows under another tag", () => (isKnown = (_tag, known) => isTag(known))],
    ...[400, 412, 501].map((status): [string, () => void] => [
      `answers ${status} to a question with a tag`,
      () => {
        centre.read = (request) => (request.known === undefined ? answer(request) : json(status, {}));
      },
    ]),
  ];
  test.each(strange)("that %s is mirrored within the hour as before", async (_what, become) => {
    become();
    for (let time = 0; time < 4; time += 1) {
      rename(`Hala ${time} a`, time);
      rename(`Hala ${time} b`, 440 + time);
      const { outcomes } = await hour();
      expect(outcomes.map((outcome) => outcome?.result)).toEqual(["taken", "taken", "taken"]);
      expect(namesHere()).toEqual(namesThere());
    }
    expect(site.conditions()).toEqual([]);
  });

  test("with constant tags is detected within a day, and its tags are no longer used", async () => {
    tagOf = (list) => `"${list}"`;
    await hour();
    rename("Hala Sud");
    for (let time = 0; time < 25; time += 1) await hour();
    expect(namesHere()).toContain("Hala Sud");
    rename("Hala Nord");
    expect((await hour()).tagged).toBe(0);
    expect(namesHere()).toContain("Hala Nord");
  });

  test("that sends an unexpected 304 has no list, and the mirror stays", async () => {
    await hour();
    tagOf = () => undefined;
    centre.read = () => ({ status: 304 });
    await mirror.pull({ isLossAccepted: false });
    expect(mirror.outcomes["obiective/cladiri"]).toMatchObject({ result: "failed" });
    expect(namesHere()).toHaveLength(450);
  });

  test("without a page after the last row is asked for it as before", async () => {
    centre.read = (request) => {
      const answered = answer(request);
      return answered.body === "[]" || String(unpacked(answered)) === "[]" ? notFound() : answered;
    };
    await hour();
    expect((await hour()).outcomes[0]).toMatchObject({ result: "taken", read: 450 });
    expect(namesHere()).toEqual(namesThere());
  });
});

function unpacked({ body, headers }: ScriptedResponse): string | Buffer | undefined {
  return headers?.["Content-Encoding"] === "gzip" ? gunzipSync(body ?? "") : body;
}

describe("compressed responses", () => {
  test("are accepted for lists only", async () => {
    await hour();
    const lists = centre.reads.filter(({ path }) => path.startsWith("/obiective/"));
    expect(new Set(lists.map(({ accepted }) => accepted))).toEqual(new Set(["gzip"]));
    const others = centre.reads.filter(({ path }) => !path.startsWith("/obiective/"));
    expect(others.map(({ accepted }) => accepted)).not.toContain("gzip");
    expect(namesHere()).toEqual(namesThere());
  });

  test.each<[string, (body: string) => ScriptedResponse["body"]]>([
    ["declares gzip and sends plain text", (body) => body],
    ["sends truncated gzip", (body) => gzipSync(body).subarray(0, -12)],
    [
      "sends gzip with a wrong checksum",
      (body) => Buffer.concat([gzipSync(body).subarray(0, -8), Buffer.alloc(8)]),
    ],
    ["sends an empty body as gzip", () => ""],
  ])(
    "of a dispatch centre that %s are requested again uncompressed, and no longer accepted",
    async (_what, become) => {
      packed = become;
      expect((await hour()).outcomes.map((outcome) => outcome?.result)).toEqual(["taken", "taken", "taken"]);
      expect(namesHere()).toEqual(namesThere());
      const before = centre.reads.length;
      await hour();
      const asked = centre.reads.slice(before).map(({ accepted }) => accepted);
      expect(asked).not.toContain("gzip");
      expect(site.conditions()).toEqual([]);
    },
  );

  test("that decompress to more than the limit are aborted, and the mirror stays", async () => {
    await hour();
    // Packed before the request: the time in which a response must come is real.
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, " "), { level: 1 });
    packed = () => bomb;
    await mirror.pull({ isLossAccepted: false });
    expect(mirror.outcomes["obiective/cladiri"]).toMatchObject({
      result: "failed",
      reason: expect.stringContaining("larger than 16 MiB"),
    });
    expect(namesHere()).toHaveLength(450);
  });
});
