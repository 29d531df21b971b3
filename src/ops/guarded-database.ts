import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import { openDatabase, type Database, type DatabaseKind } from "../store/database.ts";
import { isDamage } from "../store/integrity.ts";
import { isDiskFull, onRollback, setDiskFullHandler } from "../store/transaction.ts";
import { requestIntegrityCheck } from "./backups.ts";
import { roomLeft, type ReserveFile } from "./reserve-file.ts";

/** What a database needs while it is written. */
interface Guards {
  readonly dataDir: string;
  readonly reserveFile: ReserveFile;
  readonly conditions: Conditions;
  /** Called with each error that `onRollback` and `noteFailure` report; optional. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Opens a database for writing. A full disk gets the reserve, also to open it; damage is checked at the next start. */
export function openGuarded(
  path: string,
  kind: DatabaseKind,
  { dataDir, reserveFile, conditions, onError }: Guards,
): Database {
  const database = withReserve(reserveFile, () => openDatabase(path, kind));
  setDiskFullHandler(database, () => reserveFile.release());
  onRollback(database, (error) => {
    if (isDamage(error)) requestIntegrityCheck(dataDir, `${path}: ${messageOf(error)}`);
    if (isDiskFull(error)) conditions.raise("disk-full", roomLeft(dataDir));
    onError?.(error);
  });
  return database;
}

/** Does what can be repeated: a full disk may reject even the few pages of opening a database. */
export function withReserve<T>(reserveFile: ReserveFile, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!isDiskFull(error) || !reserveFile.release()) throw error;
    return step();
  }
}
