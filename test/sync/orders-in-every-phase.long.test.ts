import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import { messageOf } from "../../src/domain/errors.ts";
import type { OutboxEntry } from "../../src/domain/outbox.ts";
import type { OutboxPhase } from "../../src/domain/outbox-phase.ts";
import { errorResponse } from "../../src/http/errors.ts";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/*
 * Manual commands for a record in every phase of its outbox entry: each is executed or rejected with a reason,
 * and none meets an unknown phase.
 */

/** Every phase with possible entries. A new phase does not compile without its entries. */
const ENTRIES: Readonly<
  Record<OutboxPhase, readonly { readonly upstreamId: number | null; readonly sends: number }[]>
> = {
  new: [
    { upstreamId: null, sends: 0 },
    { upstreamId: null, sends: 1 },
  ],
  posting: [{ upstreamId: null, sends: 1 }],
  unsure: [
    { upstreamId: null, sends: 0 },
    { upstreamId: null, sends: 2 },
  ],
  linked: [{ upstreamId: 7, sends: 1 }],
  writing: [{ upstreamId: 7, sends: 1 }],
  blocked: [
    { upstreamId: null, sends: 0 },
    { upstreamId: null, sends: 1 },
  ],
  rejected: [
    { upstreamId: null, sends: 0 },
    { upstreamId: null, sends: 1 },
    { upstreamId: 7, sends: 1 },
  ],
  gone: [
    { upstreamId: null, sends: 0 },
    { upstreamId: 7, sends: 1 },
  ],
  closed: [
    { upstreamId: null, sends: 0 },
    { upstreamId: 7, sends: 1 },
  ],
};

const ORDERS = ["edit", "delete", "retry", "drop", "reassert", "edit-as-alarm"] as const;
type Order = (typeof ORDERS)[number];

let site: SyncingSite;
beforeEach(async () => {
  const centre = await TestApp.make();
  // It has every record that it is asked for.
  site = await SyncingSite.through(centre, (asked, answer) => {
    const [, id] = /^\/interventii\/(\d+)$/.exec(asked.url ?? "") ?? [];
    if (id === undefined) return centre.app(asked, answer);
    answer.setHeader("Content-Type", "application/json");
    answer.end(JSON.stringify({ ...PATROL, id: Number(id), name: "Patrol at the centre" }));
  });
});

/** Moves the entry of a record into a phase, with an attempt of this phase. */
function place(id: number, to: Partial<OutboxEntry>): void {
  const attempt = { key: `key-${id}`, body: "{}", rev: 1, atMs: 0 };
  site.outbox.save({ ...site.entry(id), attempt, base: "{}", agreed: "{}", ...to });
}

/** @returns the error, or undefined */
async function order(id: number, what: Order): Promise<unknown> {
  try {
    if (what === "edit") site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
    if (what === "edit-as-alarm") site.app.interventions.update(id, { priority: "high" }, OPERATOR_USER);
    if (what === "delete") site.app.interventions.delete(id, OPERATOR_USER);
    if (what === "retry") site.push.operator.retry(id);
    if (what === "drop") site.push.operator.drop(id);
    if (what === "reassert") await site.push.operator.reassert(id);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Every sequence of one to three commands. */
const SEQUENCES: readonly (readonly Order[])[] = ORDERS.flatMap((first) => [
  [first],
  ...ORDERS.flatMap((second) => [[first, second], ...ORDERS.map((third) => [first, second, third])]),
]);

test("a command for a record succeeds or is rejected with a reason, in every phase and order", async () => {
  const cases = Object.entries(ENTRIES).flatMap(([phase, entries]) =>
    entries.map((entry) => ({ phase: phase as OutboxPhase, ...entry })),
  );
  const unexpected: string[] = [];
  for (const start of cases)
    for (const orders of SEQUENCES) {
      const { id } = site.create({ priority: "low" });
      place(id, start.upstreamId === null ? start : { ...start, upstreamId: id });
      for (const what of orders) {
        const error = await order(id, what);
        if (error !== undefined && errorResponse(error).statusCode >= 500)
          unexpected.push(`${JSON.stringify(start)}, ${orders.join(", ")}: ${messageOf(error)}`);
      }
    }
  expect(SEQUENCES).toHaveLength(258);
  expect(unexpected).toEqual([]);
});

test("a dropped record can be deleted", async () => {
  const { id } = site.create();
  expect(await order(id, "drop")).toBeUndefined();
  const authorization = `Bearer ${await site.app.token()}`;
  await request(site.app.app).delete(`/interventii/${id}`).set("Authorization", authorization).expect(204);
  expect(site.entry(id)).toMatchObject({ phase: "closed", deleted: true });
});

test("the local values of a record win over those that the dispatch centre has", async () => {
  const { id } = site.create();
  place(id, { phase: "linked", upstreamId: id, sends: 1 });
  expect(await order(id, "reassert")).toBeUndefined();
  expect(JSON.parse(site.entry(id).agreed ?? "")).toMatchObject({ name: "Patrol at the centre" });
});

test("a record that may have arrived does not count as never sent", async () => {
  const { id } = site.create();
  place(id, { phase: "unsure", sends: 0 });
  expect(await order(id, "delete")).toBeUndefined();
  expect(site.entry(id)).toMatchObject({ phase: "unsure", deleted: true });
});
