import type { Queries } from "./connection.ts";
import { MIGRATION_LOCK } from "./migrations.ts";
import { STEPS } from "./schema.ts";

/** What a server of PostgreSQL says about itself. */
export interface ServerState {
  /** Such as `17.2`. */
  readonly version: string;
  readonly isStandby: boolean;
  /** The settings without which it loses acknowledged transactions at a power cut, of those that are off. */
  readonly unsafeSettings: readonly string[];
  /** Whether a standby confirms each transaction too (synchronous_standby_names). */
  readonly isSynchronous: boolean;
  /**
   * The role of the session, as in SQL, if it does not see whether the commits of the session's user wait for the standby; null
   * if it does.
   */
  readonly blindRole: string | null;
  /** Whether the role may create tables, as its owner may. */
  readonly canCreate: boolean;
  /** Whether a process changes the schema, or is about to. */
  readonly isBeingUpdated: boolean;
  /** Schema steps that the database has, 0 for an empty one. */
  readonly steps: number;
  /** Schema steps that this release knows. */
  readonly knownSteps: number;
}

/** Reads the state of the server and changes nothing. @throws AppError `unavailable` without a server */
export async function serverState(queries: Queries): Promise<ServerState> {
  const [row] = await queries.query<Omit<ServerState, "steps" | "knownSteps"> & { hasSteps: boolean }>(`
    SELECT split_part(current_setting('server_version'), ' ', 1) AS version, pg_is_in_recovery() AS "isStandby",
      current_setting('synchronous_standby_names') <> '' AS "isSynchronous",
      CASE WHEN NOT pg_has_role(current_user, session_user, 'USAGE')
        AND NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN quote_ident(current_user) END AS "blindRole",
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "canCreate",
      EXISTS(SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${MIGRATION_LOCK}
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS "isBeingUpdated",
      to_regclass('schema_steps') IS NOT NULL AS "hasSteps",
      array(SELECT name FROM unnest(ARRAY['fsync', 'full_page_writes', 'synchronous_commit']) AS name
        WHERE current_setting(name) = 'off') AS "unsafeSettings"`);
  if (!row) throw new Error("a SELECT without FROM has one row");
  const { hasSteps, ...state } = row;
  const [found] = hasSteps
    ? await queries.query<{ steps: number }>("SELECT coalesce(max(step), 0) AS steps FROM schema_steps")
    : [];
  return { ...state, steps: found?.steps ?? 0, knownSteps: STEPS.length };
}
