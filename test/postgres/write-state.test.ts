import { beforeAll, expect, test } from "vitest";
import { JsonLog } from "../../src/ops/log.ts";
import { PostgresConnections } from "../../src/postgres/connection.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/** Sessions as the server would show them, in place of its own view. */
const VIEW = `
  CREATE TABLE pg_stat_activity AS SELECT * FROM pg_catalog.pg_stat_activity LIMIT 0;
  CREATE ROLE owner; GRANT owner TO santinela; GRANT ALL ON SCHEMA public TO owner;
  GRANT ALL ON public.pg_stat_activity TO owner`;

interface Session {
  readonly wait_event: string;
  readonly application_name?: string;
  readonly backend_xid?: number | null;
  readonly seconds?: number;
}

describeOnPostgres("after a write without an answer, the next one", (server) => {
  let url: string;
  let name: string;
  beforeAll(async () => {
    url = await server.newDatabase();
    name = new URL(url).pathname.slice(1);
    await server.query(name, VIEW);
  });

  /** @returns whether it is written */
  async function write(session: Session, options: string): Promise<boolean> {
    const { wait_event, application_name = "santinela", backend_xid = 7, seconds = 10 } = session;
    await server.query(
      name,
      `DELETE FROM public.pg_stat_activity;
       INSERT INTO public.pg_stat_activity(datname, usename, state, wait_event, application_name, backend_xid, query_start)
       VALUES('${name}', 'santinela', 'active', '${wait_event}', '${application_name}', '${backend_xid ?? ""}'::text::xid,
         now() - interval '${seconds} s')`.replace("''::text::xid", "NULL"),
    );
    const log = new JsonLog({ level: "error", clock: new ManualClock(), write: () => {} });
    const address = {
      url: `${url}?options=${encodeURIComponent(`-c search_path=public,pg_catalog ${options}`)}`,
    };
    const connections = new PostgresConnections(address, log, undefined, { queryMs: 500 });
    await expect(connections.writes.query("SELECT pg_sleep(1)")).rejects.toThrow();
    const isWritten = await connections.writes.query("SELECT 1").then(
      () => true,
      () => false,
    );
    await connections.close();
    return isWritten;
  }

  test.each<[string, Session, boolean]>([
    ["waits for a commit at the standby", { wait_event: "SyncRep" }, false],
    [
      "waits for a commit at the standby of another program",
      { wait_event: "SyncRep", application_name: "psql" },
      false,
    ],
    ["waits for a commit at the disk", { wait_event: "WALSync" }, false],
    ["does not wait for a commit of this moment", { wait_event: "WalSync", seconds: 2 }, true],
    [
      "does not wait for a long statement of another program",
      { wait_event: "WALWrite", application_name: "psql" },
      true,
    ],
    ["does not wait for a slow list", { wait_event: "WALWrite", backend_xid: null }, true],
  ])("%s", async (_what, session, isWritten) => {
    expect(await write(session, "")).toBe(isWritten);
    // Connections that take the rights of another role.
    expect(await write(session, "-c role=owner")).toBe(isWritten);
  });
});
