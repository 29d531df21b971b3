import { beforeEach, describe, expect, test } from "vitest";
import type { InterventionCreate, InterventionUpdate } from "../../src/domain/intervention.ts";
import { OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, type ScriptedResponse } from "../support/nonconforming-centre.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/*
 * A dispatch centre without idempotency keys that rejects records with too few crews. A user retries a record and edits it;
 * the clock does not move unless a test advances it.
 */

const LEAST_CREWS = 3;
let centre: InMemoryCentre;
let site: SyncingSite;
/** The response to each write instead of the normal one; undefined for the normal one. */
let rejects: (crews: number | undefined) => ScriptedResponse | undefined;

beforeEach(async () => {
  centre = new InMemoryCentre();
  rejects = (crews = LEAST_CREWS) => (crews < LEAST_CREWS ? rejection() : undefined);
  centre.instead = ({ method, body }) =>
    method === "POST" || method === "PUT"
      ? rejects((JSON.parse(body) as { crews?: number }).crews)
      : undefined;
  site = await SyncingSite.at(centre);
});

const rejection = (): ScriptedResponse =>
  json(400, { error: "Bad Request", message: "too few crews", statusCode: 400 });
const there = (): unknown[] => [...centre.rows.values()].map(({ crews }) => crews);
const edit = (id: number, change: InterventionUpdate): void =>
  void site.app.interventions.update(id, change, OPERATOR_USER);
/** The crews of each write, in the order of arrival. */
const written = (): (number | undefined)[] =>
  centre.writes.map(({ body }) => (JSON.parse(body) as { crews?: number }).crews);

/** Calls `work` once, while the next write is under way. */
function during(point: "sync-posting-committed" | "sync-writing-committed", work: () => void): void {
  site.atFailpoint = (name) => {
    if (name !== point) return;
    site.atFailpoint = () => {};
    work();
  };
}

async function rejected(fields: Partial<InterventionCreate> = {}): Promise<number> {
  const { id } = site.create({ crews: 1, ...fields });
  await site.push.cycle();
  return id;
}

describe("a rejected record", () => {
  test("that a user has retried in vain is accepted at once after an edit", async () => {
    const id = await rejected();
    site.push.operator.retry(id);
    await site.push.cycle();
    expect(site.entry(id).phase).toBe("rejected");
    edit(id, { crews: 3 });
    await site.push.cycle();
    expect(there()).toEqual([3]);
    expect(site.entry(id)).toMatchObject({ phase: "linked", lastError: null });
  });

  test("that is edited while its retry is under way is sent with the edit, and needs no user", async () => {
    const id = await rejected();
    site.push.operator.retry(id);
    during("sync-posting-committed", () => edit(id, { crews: 3 }));
    await site.push.cycle();
    expect(written()).toEqual([1, 1, 3]);
    expect(there()).toEqual([3]);
    expect(site.entry(id).phase).toBe("linked");
    expect(site.conditions()).toEqual([]);
  });

  test("that is edited again and again is rejected with what was sent last", async () => {
    const id = await rejected();
    site.push.operator.retry(id);
    during("sync-posting-committed", () => edit(id, { crews: 2 }));
    await site.push.cycle();
    expect(written()).toEqual([1, 1, 2]);
    expect(site.entry(id).phase).toBe("rejected");
  });

  test("that is deleted while it is sent needs no user", async () => {
    const { id } = site.create({ crews: 1 });
    during("sync-posting-committed", () => site.app.interventions.delete(id, OPERATOR_USER));
    await site.push.cycle();
    expect(there()).toEqual([]);
    expect(site.entry(id).phase).toBe("closed");
    expect(site.conditions()).toEqual([]);
  });
});

test("a change that is rejected while a user makes another one is followed by that one", async () => {
  const id = await rejected({ crews: 3 });
  edit(id, { crews: 1 });
  during("sync-writing-committed", () => edit(id, { crews: 4 }));
  await site.push.cycle();
  expect(there()).toEqual([4]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", lastError: null });
});

test.each(["edited by a user", "joined by a trip"])(
  "an alarm that waits to be sent again after a rejection is sent at once when it is %s",
  async (what) => {
    const id = await rejected({ priority: "high" });
    site.push.operator.retry(id);
    await site.push.cycle();
    expect(site.entry(id)).toMatchObject({ phase: "new", refusals: 1 });
    const change = { body: { crews: 3 }, hasTripJoined: what === "joined by a trip" };
    site.app.interventions.change(id, change, OPERATOR_USER);
    await site.push.cycle();
    expect(there()).toEqual([3]);
  },
);

test("an edited record waits as long as the dispatch centre has asked", async () => {
  const later = { error: "Too Many Requests", message: "later", statusCode: 429 };
  rejects = () => json(429, later, { "Retry-After": "30" });
  const id = await rejected({ crews: 3 });
  edit(id, { crews: 4 });
  await site.push.cycle();
  expect(written()).toEqual([3]);
  rejects = () => undefined;
  site.app.clock.advance(31_000);
  await site.push.cycle();
  expect(there()).toEqual([4]);
});

test("whatever a user has retried and edited before, an edit that the centre accepts is there within a minute", async () => {
  const left: string[] = [];
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = seededRandom(seed);
    const id = await rejected({ priority: random() < 0.5 ? "medium" : "high", name: `Call ${seed}` });
    const act = (): void => {
      if (random() < 0.5) site.push.operator.retry(id);
      else edit(id, { crews: 1 + Math.floor(random() * 2), description: `${random()}` });
    };
    for (let step = 0; step < 6; step += 1) {
      if (random() < 0.4) during("sync-posting-committed", act);
      else act();
      if (random() < 0.7) await site.push.cycle();
      site.app.clock.advance(Math.floor(random() * 40_000));
    }
    if (random() < 0.5) during("sync-posting-committed", () => edit(id, { crews: 3 }));
    else edit(id, { crews: 3 });
    await site.push.cycle();
    // If nothing was under way, the edit has not been made yet.
    site.atFailpoint = () => {};
    edit(id, { crews: 3 });
    for (let look = 0; look < 4; look += 1) {
      site.app.clock.advance(15_000);
      await site.push.cycle();
    }
    const copies = [...centre.rows.values()].filter(({ name }) => name === `Call ${seed}`);
    if (copies.length !== 1 || copies[0]?.["crews"] !== 3)
      left.push(
        `seed ${seed}: ${JSON.stringify(copies)} ${site.entry(id).phase} ${site.entry(id).lastError}`,
      );
  }
  expect(left).toEqual([]);
});
