import { AppError } from "../domain/errors.ts";
import type { PostgresConnections, Queries } from "./connection.ts";
import { STEPS } from "./schema.ts";

/** A number of our own for the lock that lets one process at a time change the schema: "sant" in ASCII. */
export const MIGRATION_LOCK = 0x73616e74;
/** An index of all records of a large centre takes minutes. */
const STEP_MS_MAX = 3_600_000;
/** The oldest server with which the centre is tested. */
const SERVER_VERSION_MIN = 150_000;

/** Waits until no other process changes the schema or begins to use it; call it in a transaction. */
export async function lockSchema(queries: Queries): Promise<void> {
  await queries.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
}

/**
 * Brings the schema to this release, in one transaction; several processes may start at the same time.
 * @param isOrdered whether the schema of an earlier release may be changed; processes of that release may run on it
 * @returns the number of steps that were added
 * @throws AppError `storage` for a schema of a newer release, a server that is too old, or another encoding than UTF-8; `busy` for
 *   the schema of an earlier release that may not be changed
 */
export async function migrate(
  connections: PostgresConnections,
  { isOrdered }: { readonly isOrdered: boolean } = { isOrdered: true },
): Promise<number> {
  return connections.transaction(async (queries) => {
    await lockSchema(queries);
    const [server] = await queries.query<{ version: number; encoding: string }>(
      "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
    );
    if (!server || server.version < SERVER_VERSION_MIN)
      throw new AppError("storage", "the PostgreSQL server is older than version 15");
    if (server.encoding !== "UTF8")
      throw new AppError("storage", `the database has the encoding ${server.encoding}`, {
        hint: "Create it with ENCODING 'UTF8' TEMPLATE template0.",
      });
    await queries.query(
      "CREATE TABLE IF NOT EXISTS schema_steps(step integer PRIMARY KEY, at timestamptz NOT NULL)",
    );
    const [found] = await queries.query<{ steps: number }>(
      "SELECT coalesce(max(step), 0) AS steps FROM schema_steps",
    );
    const done = found?.steps ?? 0;
    if (done > STEPS.length)
      throw new AppError("storage", `the database belongs to a newer release: it has ${done} schema steps`, {
        hint: `This release knows ${STEPS.length}. Install the newer release on this machine.`,
      });
    if (!isOrdered && done > 0 && done < STEPS.length)
      throw new AppError(
        "busy",
        `the database has the schema of an earlier release: ${done} of ${STEPS.length} steps`,
        {
          hint: "The start of a dispatch centre of this release updates it, or santinela migrate. Afterwards no process of the earlier release can start.",
        },
      );
    for (const [index, step] of STEPS.entries()) {
      if (index < done) continue;
      await queries.query({ text: step, query_timeout: STEP_MS_MAX });
      await queries.query("INSERT INTO schema_steps(step, at) VALUES($1, now())", [index + 1]);
    }
    return STEPS.length - done;
  });
}
