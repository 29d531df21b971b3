import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { messageOf } from "../domain/errors.ts";
import type { Configuration } from "../generated/types.ts";
import { FILE_BYTES_MAX, readBounded } from "./bounded-file.ts";
import type { DatabaseConfig } from "./config.ts";
import type { ConfigProblem, Report } from "./problems.ts";

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

/** The certificate authority of PostgreSQL: its text, or what is wrong with the file. */
export class DatabaseAuthority {
  readonly ca: string | undefined;
  readonly problems: readonly ConfigProblem[];

  /** @param folder base of relative paths */
  constructor({ databaseCaFile }: Configuration, folder: string) {
    const problems: ConfigProblem[] = [];
    if (databaseCaFile !== undefined)
      try {
        const ca = readBounded(resolve(folder, databaseCaFile), FILE_BYTES_MAX);
        // Else each connection would fail, with an error that does not name the file.
        void new X509Certificate(ca);
        this.ca = ca;
      } catch (error) {
        problems.push({
          path: ["databaseCaFile"],
          message: `${resolve(folder, databaseCaFile)} is not a readable certificate in PEM format: ${messageOf(error)}. Use the certificate of the authority that signed the one of PostgreSQL`,
        });
      }
    this.problems = problems;
  }
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
