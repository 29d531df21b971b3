import { messageOf } from "../domain/errors.ts";
import { requestIntegrityCheck } from "../ops/backups.ts";
import type { DatabaseName } from "../ops/database-files.ts";
import { isDamage } from "../store/integrity.ts";
import type { SiteParts } from "./site-parts.ts";

/** The result of `read`, or `otherwise` if `read` has met a damaged page of the database. */
export type ReadOr = <T>(read: () => T, otherwise: T, database?: DatabaseName) => T;

/**
 * For the state of the site, which has to be shown while a part of it cannot be read: the condition reports it, and the daemon
 * restarts itself for the recovery, perhaps minutes later.
 */
export function readOverDamage({ config, health }: Pick<SiteParts, "config" | "health">): ReadOr {
  return (read, otherwise, database = "santinela.db") => {
    try {
      return read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      const problem = `${database}: ${messageOf(error)}`;
      requestIntegrityCheck(config.dataDir, problem);
      if (!health.isOpen("database-damaged")) health.raise("database-damaged", { problem });
      return otherwise;
    }
  };
}

/** As `readOverDamage`, for the journal. */
export function readJournalOverDamage(parts: Pick<SiteParts, "config" | "health">): ReadOr {
  const readOr = readOverDamage(parts);
  return (read, otherwise) => readOr(read, otherwise, "journal.db");
}
