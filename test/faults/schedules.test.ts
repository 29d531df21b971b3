import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { interventionsOf, pause, seededRandom } from "../support/installation.ts";
import { LINE_FAULT_NAMES, LINE_FAULTS } from "../support/line-faults.ts";
import { RUN_LENGTH } from "../support/run-length.ts";
import { SiteAndCentre } from "../support/site-and-centre.ts";

/*
 * Two real daemons, and a proxy with a fault in every third request, sign-ins and reads included. The seed
 * determines the order of faults; which request gets which fault also depends on timing.
 */

const both = new SiteAndCentre();
beforeAll(() => both.start());
afterAll(() => both.remove());

const OPERATIONS = 30;
const FAULT_RATE = 0.35;
/** Then the link works again; most of these fall into the back-off. */
const FAULTS_MAX = 20;
const seeds = Array.from({ length: RUN_LENGTH.schedules }, (_, index) => RUN_LENGTH.seed + index);

describe("a link that fails at random", () => {
  test.each(seeds)(
    "seed %i: every record is at the dispatch centre once, as at the site",
    async (seed) => {
      const random = seededRandom(seed);
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
      let faults = 0;
      both.line.faultFor = () => {
        if (faults === FAULTS_MAX || random() >= FAULT_RATE) return undefined;
        faults += 1;
        return LINE_FAULTS[pick(LINE_FAULT_NAMES)];
      };
      const living: Intervention[] = [];
      for (let operation = 0; operation < OPERATIONS; operation += 1) {
        const kind = living.length < 3 ? 0 : random();
        const record = pick(living);
        if (kind < 0.5) living.push(await both.create({ priority: "high", objectiveId: pick([1, 2, 3]) }));
        else if (kind < 0.85 && record)
          await both.change(record.id, { notes: `changed by ${operation} of ${seed}` });
        else if (record) await both.delete(living.splice(living.indexOf(record), 1)[0] as Intervention);
        // After a fault the link has a back-off; repeated manual syncs trigger the next fault.
        if (random() < 0.5) void both.ask();
        await pause(random() * 40);
      }
      await both.settle(120_000);
      expect(faults).toBeGreaterThan(0);
      await both.expectExactlyOnce();
    },
    180_000,
  );
});

test("a link that goes up and down ten times a second causes no loss and no duplicate", async () => {
  const random = seededRandom(RUN_LENGTH.seed);
  const records: Intervention[] = [];
  for (let turn = 0; turn < 30; turn += 1) {
    both.line.isDown = turn % 2 === 0;
    if (both.line.isDown) both.line.cut();
    records.push(await both.create({ name: `alarm ${turn}`, priority: "high" }));
    await pause(random() * 100);
  }
  both.line.isDown = false;
  await both.settle(60_000);
  await both.expectExactlyOnce();
  const names = (await interventionsOf(both.site)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(records.map(({ name }) => name)));
});
