import { afterAll, beforeAll, expect, test } from "vitest";
import { SITE_LEVELS } from "../../src/domain/site-state.ts";
import type { SiteLevel } from "../../src/generated/types.ts";
import { OPERATOR_USER } from "../support/app.ts";
import { REPORT } from "../support/fleet.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* A page and its total, or a site and its history, while another process writes: both have to be of the same moment. */

const READS = 100;
const ADD_OBJECTIVES = `INSERT INTO objectives(kind, id, data, source)
  SELECT 'obiective/cladiri', id, json_build_object('id', id, 'name', 'Added')::text, 'import' FROM generate_series(100, 150) AS id`;
const REMOVE_OBJECTIVES = "DELETE FROM objectives WHERE id >= 100";
const ADD_SITES = `INSERT INTO sites(ref, searched, report, rank, since, reported_at, clock_offset_ms)
  SELECT 'site-' || n, 'site', '{}', 3, 1, 1, 0 FROM generate_series(1, 50) AS n`;
const REMOVE_SITES = "DELETE FROM sites";

describeOnPostgres("while another process writes, a centre on PostgreSQL", (server) => {
  let centre: PostgresCentre;
  let other: PostgresCentre;
  beforeAll(async () => {
    const url = await server.newDatabase();
    [centre, other] = await Promise.all([PostgresCentre.open(url), PostgresCentre.open(url)]);
  });
  afterAll(() => Promise.all([centre.close(), other.close()]));

  /** Adds and removes what a list has. */
  const change =
    (...[add, remove]: readonly [string, string]) =>
    async (): Promise<void> => {
      await other.connections.query(add);
      await other.connections.query(remove);
    };

  /** Reads two numbers that are the same at each moment, such as the length of a list and its total, while the other process writes. */
  async function readWhile(
    write: () => Promise<void>,
    read: () => Promise<{ found: number; total: number }>,
  ): Promise<void> {
    const reading = new AbortController();
    const written = (async () => {
      while (!reading.signal.aborted) await write();
    })();
    // What it could not write fails the test below.
    written.catch(() => reading.abort());
    const sizes = new Set<number>();
    try {
      for (let count = 0; (count < READS || sizes.size < 2) && !reading.signal.aborted; count += 1) {
        const { found, total } = await read();
        expect(total).toBe(found);
        sizes.add(total);
      }
    } finally {
      reading.abort();
      await written;
    }
  }

  test("lists as many objectives as it counts", () =>
    readWhile(change(ADD_OBJECTIVES, REMOVE_OBJECTIVES), async () => {
      const query = { filters: [], sort: [], start: 0, end: 1000 };
      const { records, total } = await centre.objectives.list(
        { type: "obiective/cladiri", query },
        new AbortController().signal,
      );
      return { found: records.length, total };
    }));

  test("lists as many sites as it counts", () =>
    readWhile(change(ADD_SITES, REMOVE_SITES), async () => {
      const query = { levels: [], sort: "level", descending: false, start: 0, end: 1000 } as const;
      const { sites, total } = await centre.fleet.page(query);
      return { found: sites.length, total };
    }));

  test("shows a site with the change that gave it its level", async () => {
    const report = (level: SiteLevel) => other.fleet.report({ ...REPORT, level }, OPERATOR_USER);
    const toggle = async (): Promise<void> => {
      await report("fault");
      await report("well");
    };
    await toggle();
    const [site] = await centre.fleet.after(0, 1);
    await readWhile(toggle, async () => {
      const { site: shown, history } = await centre.fleet.get(site?.id ?? 0);
      const newest = history[0]?.detail as SiteLevel;
      return { found: SITE_LEVELS.indexOf(newest), total: SITE_LEVELS.indexOf(shown.level) };
    });
  });
});
