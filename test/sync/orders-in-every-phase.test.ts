import { afterEach, beforeEach, expect, test } from "vitest";
import { AppError, messageOf } from "../../src/domain/errors.ts";
import type { OutboxEntry } from "../../src/domain/outbox.ts";
import type { OutboxPhase } from "../../src/domain/outbox-phase.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";
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

const ORDERS = ["edit", "delete", "retry", "drop", "edit-as-alarm"] as const;
type Order = (typeof ORDERS)[number];

let site: SyncingSite;
beforeEach(async () => {
  site = new SyncingSite(await TestApp.make(), "http://127.0.0.1:9");
});
afterEach(() => site.close());

/** Moves the entry of a record into a phase, with an attempt of this phase. */
function place(id: number, to: Partial<OutboxEntry>): void {
  const attempt = { key: `key-${id}`, body: "{}", rev: 1, atMs: 0 };
  site.outbox.save({ ...site.entry(id), attempt, base: "{}", agreed: "{}", ...to });
}

/** @returns the error message, or undefined */
function order(id: number, what: Order): unknown {
  try {
    if (what === "edit") site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
    if (what === "edit-as-alarm") site.app.interventions.update(id, { priority: "high" }, OPERATOR_USER);
    if (what === "delete") site.app.interventions.delete(id, OPERATOR_USER);
    if (what === "retry") site.push.operator.retry(id);
    if (what === "drop") site.push.operator.drop(id);
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

test("a command for a record succeeds or is rejected with a reason, in every phase and order", () => {
  const cases = Object.entries(ENTRIES).flatMap(([phase, entries]) =>
    entries.map((entry) => ({ phase: phase as OutboxPhase, ...entry })),
  );
  const unexpected: string[] = [];
  for (const start of cases)
    for (const orders of SEQUENCES) {
      const { id } = site.create({ priority: "low" });
      place(id, start.upstreamId === null ? start : { ...start, upstreamId: id });
      for (const what of orders) {
        const error = order(id, what);
        // Anything else would be a 500.
        if (error !== undefined && !(error instanceof AppError))
          unexpected.push(`${JSON.stringify(start)}, ${orders.join(", ")}: ${messageOf(error)}`);
      }
    }
  expect(SEQUENCES).toHaveLength(155);
  expect(unexpected).toEqual([]);
});

test("a dropped record can be deleted", () => {
  const { id } = site.create();
  expect(order(id, "drop")).toBeUndefined();
  expect(order(id, "delete")).toBeUndefined();
  expect(site.entry(id)).toMatchObject({ phase: "closed", deleted: true });
});

test("a record that may have arrived does not count as never sent", () => {
  const { id } = site.create();
  place(id, { phase: "unsure", sends: 0 });
  expect(order(id, "delete")).toBeUndefined();
  expect(site.entry(id)).toMatchObject({ phase: "unsure", deleted: true });
});
