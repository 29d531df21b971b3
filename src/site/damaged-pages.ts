import { messageOf } from "../domain/errors.ts";
import { requestIntegrityCheck } from "../ops/backups.ts";
import { isDamage } from "../store/integrity.ts";
import type { SiteParts } from "./site-parts.ts";

/** The result of `read`, or that of `otherwise` if `read` has met a damaged page of `santinela.db`. */
export type ReadOr = <T>(read: () => T, otherwise: () => T) => T;

/**
 * For the state of the site, which has to be shown while a part of the records cannot be read: the condition reports it, and the
 * daemon restarts itself for the recovery, perhaps minutes later.
 */
export function readOverDamage({ config, health }: Pick<SiteParts, "config" | "health">): ReadOr {
  return (read, otherwise) => {
    try {
      return read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      const problem = `santinela.db: ${messageOf(error)}`;
      requestIntegrityCheck(config.dataDir, problem);
      if (!health.isOpen("database-damaged")) health.raise("database-damaged", { problem });
      return otherwise();
    }
  };
}
