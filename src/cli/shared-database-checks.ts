import type { DatabaseConfig } from "../config/config.ts";
import { withoutPassword } from "../config/database-url.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { JsonLog } from "../ops/log.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { PostgresConnections } from "../postgres/connection.ts";
import { serverState, type ServerState } from "../postgres/server-state.ts";
import { error, ok, warning, type CheckResult } from "./check-result.ts";

const CHECK = "Databases";

/** Checks the PostgreSQL of a dispatch centre without changing it: reached, primary, schema, and what a power cut takes. */
export function sharedDatabaseChecks(database: DatabaseConfig): Promise<CheckResult[]> {
  return checked(database, (server, state) => {
    const start = startCheck(server, state);
    return state.isStandby ? [start] : [start, ...durabilityChecks(state), ...sightChecks(state)];
  });
}

/** Checks whether a dispatch centre can start with its PostgreSQL, without changing it. */
export function databaseStartChecks(database: DatabaseConfig): Promise<CheckResult[]> {
  return checked(database, (server, state) => [startCheck(server, state), ...sightChecks(state)]);
}

async function checked(
  database: DatabaseConfig,
  resultsOf: (server: string, state: ServerState) => CheckResult[],
): Promise<CheckResult[]> {
  const log = new JsonLog({ level: "error", clock: new SystemClock(), write: () => {} });
  const connections = new PostgresConnections(database, log, undefined, { acceptsStandby: true });
  try {
    const { url } = database;
    const at = url === undefined ? "of the environment" : `at ${withoutPassword(url)}`;
    const state = await serverState(connections);
    return resultsOf(`PostgreSQL ${state.version} ${at}`, state);
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    return [error(CHECK, `PostgreSQL: ${cause.message}: ${messageOf(cause.cause)}`, REACH)];
  } finally {
    await connections.close();
  }
}

const REACH =
  "Check database, databasePasswordFile and databaseCaFile, and that the address leads to the primary.";

function startCheck(server: string, state: ServerState): CheckResult {
  const { isStandby, canCreate, steps, knownSteps } = state;
  if (isStandby) return error(CHECK, `${server} is a standby and cannot write`, REACH);
  if (steps > knownSteps)
    return error(CHECK, `${server} has the schema of a newer release`, "Install the newer release here too.");
  if (steps < knownSteps && !canCreate)
    return error(
      CHECK,
      `${server} does not let the role create tables`,
      "Make it the owner: ALTER DATABASE … OWNER TO ….",
    );
  // santinela-upgrade looks for these words.
  if (state.isBeingUpdated)
    return warning(CHECK, `${server}: the schema is being updated`, "A start waits until that is done.");
  if (steps === 0) return ok(CHECK, `${server}, empty: the first start creates the schema`);
  if (steps < knownSteps)
    return warning(
      CHECK,
      `${server} has the schema of an earlier release`,
      "santinela migrate, or a start, updates it.",
    );
  return ok(CHECK, `${server}, schema up to date`);
}

function sightChecks({ blindRole }: ServerState): CheckResult[] {
  if (blindRole === null) return [];
  return [
    warning(
      "Standby",
      `the role ${blindRole} does not see when commits wait for a standby: further writes then take all connections of the server`,
      `Run on the server: GRANT pg_read_all_stats TO ${blindRole};`,
    ),
  ];
}

function durabilityChecks({ unsafeSettings, isSynchronous }: ServerState): CheckResult[] {
  return [
    ...unsafeSettings.map((name) =>
      error(
        CHECK,
        `a power cut loses acknowledged records: ${name} is off`,
        `Set ${name} = on on the server.`,
      ),
    ),
    isSynchronous
      ? ok("Standby", "each record is on a second server before it is acknowledged")
      : warning(
          "Standby",
          "no synchronous standby: acknowledged records are on one server",
          "Set up a second server, or find out why it is missing (patronictl list).",
        ),
  ];
}
