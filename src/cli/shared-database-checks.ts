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
export async function sharedDatabaseChecks({ url, password }: DatabaseConfig): Promise<CheckResult[]> {
  const log = new JsonLog({ level: "error", clock: new SystemClock(), write: () => {} });
  const connections = new PostgresConnections({ url, password }, log);
  try {
    const at = url === undefined ? "of the environment" : `at ${withoutPassword(url)}`;
    return resultsOf(at, await serverState(connections));
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    return [error(CHECK, `PostgreSQL: ${cause.message}: ${messageOf(cause.cause)}`, REACH)];
  } finally {
    await connections.close();
  }
}

const REACH = "Check database, its password file, and that the address leads to the primary.";

function resultsOf(at: string, state: ServerState): CheckResult[] {
  const { version, isStandby, unsafeSettings, isSynchronous } = state;
  const server = `PostgreSQL ${version} ${at}`;
  if (isStandby) return [error(CHECK, `${server} is a standby and cannot write`, REACH)];
  return [
    schemaCheck(server, state),
    ...unsafeSettings.map((name) =>
      error(
        CHECK,
        `a power cut loses acknowledged records: ${name} is off`,
        `Set ${name} = on on the server.`,
      ),
    ),
    isSynchronous
      ? ok("Standby", "each record is on a second server before it is acknowledged")
      : ok("Standby", "no synchronous standby: acknowledged records are on one server"),
  ];
}

function schemaCheck(server: string, { steps, knownSteps }: ServerState): CheckResult {
  if (steps > knownSteps)
    return error(CHECK, `${server} has the schema of a newer release`, "Install the newer release here too.");
  if (steps < knownSteps)
    return warning(
      CHECK,
      `${server} has the schema of an earlier release`,
      "santinela migrate, or a start, updates it.",
    );
  return ok(CHECK, `${server}, schema up to date`);
}
