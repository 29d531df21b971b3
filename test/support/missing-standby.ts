import { eventually } from "./eventually.ts";
import type { PostgresServer } from "./postgres.ts";

/**
 * Sets for which synchronous standby the commits of a server wait, and waits until they do.
 * @param name such as `missing`, of one that never comes; empty for none
 */
export async function setStandby(server: PostgresServer, name: string): Promise<void> {
  await server.query("postgres", `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await server.query("postgres", "SELECT pg_reload_conf()");
  if (name !== "") await eventually("commits wait for the standby", () => waits(server));
}

/** Whether a commit waits: the server reads its settings some time after `pg_reload_conf` has returned. */
async function waits(server: PostgresServer): Promise<boolean> {
  let isOver = false;
  const commit = server
    .query("postgres", "SELECT pg_logical_emit_message(true, 'commit', '')")
    .finally(() => (isOver = true));
  return eventually("the commit waits, or is over", async () => {
    const [waiting] = (await server.query(
      "postgres",
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
    )) as object[];
    if (waiting) await commit;
    return waiting || isOver ? { isWaiting: waiting !== undefined } : undefined;
  }).then(({ isWaiting }) => isWaiting);
}
