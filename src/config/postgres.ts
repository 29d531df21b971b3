import type { Configuration } from "../generated/types.ts";
import type { DatabaseConfig } from "./config.ts";
import type { Report } from "./problems.ts";

/** Parameters of the URL that set TLS. The client would prefer them to the authority, `sslmode=disable` too. */
const SETS_TLS = /^(ssl.*|uselibpqcompat)$/i;

/** Errors of the options of a dispatch centre's PostgreSQL that the schema cannot detect. */
export function reportDatabase({ database, databaseCaFile }: Configuration, report: Report): void {
  if (databaseCaFile === undefined) return;
  if (database === undefined) {
    report(["databaseCaFile"], "databaseCaFile needs database");
    return;
  }
  const parameters = new URLSearchParams(database.split("?").slice(1).join("?"));
  const set = [...parameters.keys()].find((name) => SETS_TLS.test(name));
  if (set !== undefined)
    report(
      ["database"],
      `${set} in the URL and databaseCaFile exclude each other. Remove ${set}: with databaseCaFile the connection always uses TLS`,
    );
}

/** How a dispatch centre reaches its PostgreSQL; null without one. */
export function databaseOf(
  { database }: Configuration,
  password: string | undefined,
  ca: string | undefined,
): DatabaseConfig | null {
  if (database === undefined) return null;
  return { url: database === "environment" ? undefined : database, password, ca };
}
