import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { openDatabase, type Database, type DatabaseKind } from "../store/database.ts";
import { isDiskFull, onDiskFull, onTakenBack } from "../store/transaction.ts";
import { EventLog } from "../store/event-log.ts";
import { fileProblems, isDamage, type CheckDepth } from "../store/integrity.ts";
import { JOURNAL_DATABASE } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { suspect, suspicionFile } from "./backups.ts";
import type { Ballast } from "./ballast.ts";
import { writeDurably } from "../store/durable-files.ts";
import { recoverDatabase, redeliver, type Recovery } from "./recovery.ts";

export interface DatabasesOptions {
  readonly dataDir: string;
  readonly ballast: Ballast;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Makes the identity of a new installation. */
  readonly newIdentity: () => string;
}

/**
 * The two databases of a data folder, opened with what their last end calls for: nothing after an orderly stop, a
 * quick check after any other, a recovery where a file is damaged or gone.
 */
export class Databases {
  readonly main: Database;
  readonly journal: Database;
  readonly #options: DatabasesOptions;

  /** @throws AppError `storage` when a database cannot be used and no recovery can help, as on a read-only disk */
  constructor(options: DatabasesOptions) {
    this.#options = options;
    const { dataDir, clock } = options;
    const isKnown = existsSync(join(dataDir, IDENTITY_FILE));
    const depth = checkDepth(dataDir);
    const recoveries: Recovery[] = [];
    this.journal = this.#open(JOURNAL, { isKnown, depth }, recoveries);
    try {
      this.main = this.#open(MAIN, { isKnown, depth }, recoveries);
    } catch (error) {
      this.journal.close();
      throw error;
    }
    const lost = recoveries.find(({ name }) => name === MAIN.name);
    const redelivered = lost ? redeliver(this.journal, this.main, lost, clock.wallMs()) : 0;
    if (recoveries.length > 0) this.#report(recoveries, redelivered);
    if (!isKnown) this.#nameInstallation();
    rmSync(join(dataDir, ORDERLY_STOP_FILE), { force: true });
    rmSync(suspicionFile(dataDir), { force: true });
    this.lookForReport();
  }

  /** Closes both and notes that this was an orderly stop. */
  close(): void {
    this.main.close();
    this.journal.close();
    try {
      writeFileSync(join(this.#options.dataDir, ORDERLY_STOP_FILE), "");
    } catch (error) {
      // The next start then only checks more than it had to.
      this.#options.log.warn("orderly-stop-not-noted", { error });
    }
  }

  /** Somebody has to know that records may be missing: the condition stands until they remove the report. */
  lookForReport(): void {
    const { dataDir, conditions } = this.#options;
    const report = join(dataDir, RECOVERY_REPORT);
    if (!existsSync(report)) return conditions.clear("database-recovered");
    const text = readFileSync(report, "utf8").trim().split("\n").at(-1) ?? "";
    conditions.raise("database-recovered", `${text} Read ${report}, then remove it.`);
  }

  #open(
    { name, kind }: NamedDatabase,
    { isKnown, depth }: { isKnown: boolean; depth: CheckDepth | "none" },
    recoveries: Recovery[],
  ): Database {
    const path = join(this.#options.dataDir, name);
    const problem = isKnown ? problemOf(path, kind, depth) : undefined;
    if (problem === undefined) {
      try {
        return this.#opened(path, kind);
      } catch (error) {
        if (!isDamage(error)) throw error;
        return this.#recover(name, kind, messageOf(error), recoveries);
      }
    }
    return this.#recover(name, kind, problem, recoveries);
  }

  #recover(
    name: NamedDatabase["name"],
    kind: DatabaseKind,
    problem: string,
    recoveries: Recovery[],
  ): Database {
    const { dataDir, clock, log } = this.#options;
    log.error("database-damaged", { database: name, problem });
    const restored = recoverDatabase({ dataDir, name, kind, problem, nowMs: clock.wallMs() });
    recoveries.push(restored);
    return this.#opened(join(dataDir, name), kind);
  }

  /** A full disk may refuse even the few pages that opening takes. */
  #opened(path: string, kind: DatabaseKind): Database {
    const { ballast } = this.#options;
    let database: Database;
    try {
      database = openDatabase(path, kind);
    } catch (error) {
      if (!isDiskFull(error) || !ballast.release()) throw error;
      database = openDatabase(path, kind);
    }
    onDiskFull(database, () => ballast.release());
    // However orderly the stop will be: the next start looks at every page, and mends what is damaged.
    onTakenBack(database, (error) => {
      if (isDamage(error)) suspect(this.#options.dataDir, `${path}: ${messageOf(error)}`);
    });
    return database;
  }

  #nameInstallation(): void {
    const { dataDir, newIdentity, log } = this.#options;
    try {
      writeDurably(join(dataDir, IDENTITY_FILE), `${newIdentity()}\n`);
    } catch (error) {
      // A full disk; the next start tries again, and until then a lost database is taken for a new one.
      log.warn("installation-not-named", { error });
    }
  }

  #report(recoveries: readonly Recovery[], redelivered: number): void {
    const { dataDir, clock, log } = this.#options;
    const sentences = recoveries.map(({ sentence }) => sentence);
    const again =
      redelivered === 0 ? "" : ` ${redelivered} trips of the journal are posted again under their old keys.`;
    const text = `${new Date(clock.wallMs()).toISOString()} ${sentences.join(" ")}${again}`;
    const report = join(dataDir, RECOVERY_REPORT);
    const earlier = existsSync(report) ? readFileSync(report, "utf8") : "";
    writeDurably(report, `${earlier}${text}\n`);
    log.error("database-recovered", { text });
    new EventLog(this.main).add(
      {
        event: "database-recovered",
        who: "santinela",
        from: "start",
        subject: recoveries.map(({ name }) => name).join(", "),
        detail: { recoveries, redelivered },
      },
      clock.wallMs(),
    );
  }
}

/** Says that this folder has had its databases: one that is missing from now on is lost, not new. */
const IDENTITY_FILE = "installation-id";
const ORDERLY_STOP_FILE = "stopped-in-order";
const RECOVERY_REPORT = "recovery.txt";

interface NamedDatabase {
  readonly name: "santinela.db" | "journal.db";
  readonly kind: DatabaseKind;
}

const MAIN: NamedDatabase = { name: "santinela.db", kind: MAIN_DATABASE };
const JOURNAL: NamedDatabase = { name: "journal.db", kind: JOURNAL_DATABASE };

function checkDepth(dataDir: string): CheckDepth | "none" {
  if (existsSync(suspicionFile(dataDir))) return "full";
  return existsSync(join(dataDir, ORDERLY_STOP_FILE)) ? "none" : "quick";
}

function problemOf(path: string, kind: DatabaseKind, depth: CheckDepth | "none"): string | undefined {
  if (!existsSync(path)) return "the file is missing";
  if (statSync(path).size === 0 && !existsSync(`${path}-wal`)) return "the file is empty";
  // What cannot be read as this kind at all is left to the opening, which tells damage from another release's file.
  if (depth === "none") return undefined;
  const problems = fileProblems(path, kind, depth);
  return problems.length === 0 ? undefined : problems.join("; ");
}
