import { afterAll, describe, expect, test } from "vitest";
import type { Intervention } from "../../../src/domain/intervention.ts";
import { report, RUN_LENGTH } from "../../support/run-length.ts";
import { ForeignSite } from "./foreign-site.ts";
import { CELLS, play } from "./matrix.ts";

/*
 * Every request x every fault. `npm test` runs the fast cells; all of them, with many behaviours of the
 * dispatch centre: npm run faults -- --foreign 1 foreign-centre
 */

const sites: ForeignSite[] = [];
afterAll(async () => {
  for (const site of sites) await site.remove();
});

async function siteAt(habits: Readonly<Record<string, unknown>>): Promise<ForeignSite> {
  const site = new ForeignSite();
  sites.push(site);
  await site.start(habits);
  return site;
}

/** Similar to ours in every likely field. */
const alike = ({ name, objectiveType, objectiveId, priority }: Intervention): object => ({
  name,
  objectiveType,
  objectiveId,
  priority,
  description: "the neighbour called",
});
/**
 * Without references another call of the same name at the same address is indistinguishable, so it has another
 * name.
 */
const similar = (record: Intervention): object => ({
  ...alike(record),
  name: `${record.name}, by telephone`,
});

const OWN_WAYS = { addsFields: true, ownDates: true, trims: true };
interface CentreUnderTest {
  readonly habits: object;
  readonly typed: (record: Intervention) => object;
  /**
   * Where the centre keeps no reference, a second record looks like one that a dispatcher typed in, so none is
   * deleted. The condition `upstream-reference-lost` is open all the time.
   */
  readonly mayKeepTwo?: true;
}
const CENTRES: Readonly<Record<string, CentreUnderTest>> = {
  "with ways of its own, reading from a copy 1 s behind": {
    habits: { ...OWN_WAYS, readLagMs: 1_000 },
    typed: alike,
  },
  "that knows keys": { habits: { honoursKeys: true, givesIdsAgain: false, saysTotal: true }, typed: alike },
  "reading from a copy 3 s behind": { habits: { ...OWN_WAYS, readLagMs: 3_000 }, typed: alike },
  "whose lists know no pages": {
    habits: { ...OWN_WAYS, ignoresStart: true, ignoresSort: true, givesWhole: true },
    typed: alike,
  },
  "that cuts every reference off": {
    habits: { ...OWN_WAYS, notesMax: 20 },
    typed: similar,
    mayKeepTwo: true,
  },
  "that removes what stands in brackets": {
    habits: { ...OWN_WAYS, stripsBrackets: true },
    typed: similar,
    mayKeepTwo: true,
  },
};

/** The fast cells: an alarm waits 15 s for late arrivals, other records for minutes. Every third of these. */
const QUICK = CELLS.filter(({ asked, fault }) => !(fault.isSlow && asked === "plain")).filter(
  (_, index) => index % 3 === 0,
);
const [FIRST = ""] = Object.keys(CENTRES);
const ALL = RUN_LENGTH.foreign > 0;

describe("each request with each fault", () => {
  test.concurrent.each(Object.keys(CENTRES).filter((name) => ALL || name === FIRST))(
    "at a dispatch centre %s: every record exists once with its last content, and no other record is changed",
    async (name) => {
      const { habits, typed, mayKeepTwo = false } = CENTRES[name] as CentreUnderTest;
      const site = await siteAt(habits as Record<string, unknown>);
      const cells = ALL ? CELLS : QUICK;
      const { helped, seconds } = await play(site, cells, {
        typed,
        mayKeepTwo,
        withinMs: ALL ? 900_000 : 100_000,
      });
      report(`${name}: ${cells.length} cells in ${seconds} s, ${helped.length} with a manual command`);
      for (const line of helped) report(`  ${line}`);
      expect(helped.filter((line) => line.startsWith("alarm"))).toEqual([]);
    },
    ALL ? 2_000_000 : 240_000,
  );
});
