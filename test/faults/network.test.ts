import { afterAll, beforeAll, expect, test } from "vitest";
import { LINE_FAULT_NAMES, LINE_FAULTS } from "../support/line-faults.ts";
import { SiteAndCentre } from "../support/site-and-centre.ts";

/*
 * Two real daemons with a proxy that applies one fault to a POST, a PUT and a DELETE. The dispatch centre is
 * ours and supports keys; one without keys is tested elsewhere.
 */

const both = new SiteAndCentre();
beforeAll(() => both.start());
afterAll(() => both.remove());

test.each(LINE_FAULT_NAMES)(
  "%s: records created, changed and deleted meanwhile are the same at the site and the dispatch centre",
  async (name) => {
    const [changed, deleted] = [await both.create({ notes: "as it was" }), await both.create()];
    await both.createLookalike(changed);
    await both.settle();
    const met: string[] = [];
    both.line.faultFor = ({ method, path }) => {
      if (method === "GET" || path.startsWith("/auth") || met.includes(method)) return undefined;
      met.push(method);
      return LINE_FAULTS[name];
    };
    await both.create({ priority: "high", notes: "made meanwhile" });
    await both.change(changed.id, { notes: "changed meanwhile", crews: 3 });
    await both.delete(deleted);
    await both.settle();
    expect(met.sort()).toEqual(["DELETE", "POST", "PUT"]);
    await both.expectExactlyOnce();
  },
);
