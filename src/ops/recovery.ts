import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database, type DatabaseKind } from "../store/database.ts";
import { RECOUNT } from "../store/intervention-counts.ts";
import { fileProblems } from "../store/integrity.ts";
import { redeliverLostTrips } from "../store/redelivery.ts";
import { seekUnsent } from "../store/sought-records.ts";
import { salvage, type SalvagedTable } from "../store/salvage.ts";
import { backupsIn } from "./backups.ts";
import { copyDurably } from "../store/durable-files.ts";
import { quarantine } from "./quarantine.ts";

/** What a recovery did, for the log, the event log and the report. */
export interface Recovery {
  readonly name: string;
  readonly problem: string;
  /** Where the damaged file is now. */
  readonly quarantined: string;
  /** The copy that was put back; null where there was no good one. */
  readonly backup: { readonly path: string; readonly atMs: number } | null;
  readonly salvaged: readonly SalvagedTable[];
  /** All of it for people. */
  readonly sentence: string;
}

export interface RecoveryOptions {
  readonly dataDir: string;
  readonly name: "santinela.db" | "journal.db";
  readonly kind: DatabaseKind;
  readonly problem: string;
  readonly nowMs: number;
}

/**
 * Puts a damaged or missing database back: the file goes into quarantine with its write-ahead log, the newest good
 * copy takes its place (the journal begins anew: an old one would post old trips), and every row that can still be
 * read of the damaged file is taken over. Nothing is deleted.
 */
export function recoverDatabase({ dataDir, name, kind, problem, nowMs }: RecoveryOptions): Recovery {
  const path = join(dataDir, name);
  const quarantined = quarantine(path, nowMs);
  const backups = name === "santinela.db" ? backupsIn(dataDir) : [];
  const backup = backups.find((copy) => fileProblems(copy.path, kind, "full").length === 0) ?? null;
  if (backup) copyDurably(backup.path, path);
  const database = openDatabase(path, kind);
  if (name === "santinela.db") seekUnsent(database);
  const salvaged = existsSync(quarantined) ? salvageCopy(quarantined, `${path}.salvage`, database) : [];
  if (name === "santinela.db") database.exec(RECOUNT);
  database.close();
  const done = { name, problem, quarantined, backup, salvaged };
  return { ...done, sentence: sentenceOf(done) };
}

/** A trip is posted again when its record is not there any more, unless it is older than the copy that was put back. */
export function redeliver(journal: Database, main: Database, { backup }: Recovery, nowMs: number): number {
  const sinceMs = backup ? backup.atMs - CLOCK_MARGIN_MS : nowMs - TRIPS_KEPT_MS;
  return redeliverLostTrips(journal, main, sinceMs);
}

/** Wall clocks are set now and then; a trip too many is harmless, its key is known. */
const CLOCK_MARGIN_MS = 86_400_000;
/** How long the journal keeps posted trips; records are kept longer, so an older trip's record is not lost but removed. */
export const TRIPS_KEPT_MS = 30 * 86_400_000;

/** SQLite writes beside what it reads, and the quarantined files are evidence. */
function salvageCopy(quarantined: string, working: string, target: Database): SalvagedTable[] {
  const endings = ["", "-wal"].filter((ending) => existsSync(quarantined + ending));
  try {
    for (const ending of endings) copyFileSync(quarantined + ending, working + ending);
    return salvage(working, target);
  } finally {
    for (const ending of ["", "-wal", "-shm"]) rmSync(working + ending, { force: true });
  }
}

function sentenceOf({ name, problem, quarantined, backup, salvaged }: Omit<Recovery, "sentence">): string {
  const from = backup
    ? `the copy of ${new Date(backup.atMs).toISOString()} was put back`
    : name === "santinela.db"
      ? "there was no good copy, so it begins anew"
      : "it begins anew";
  const rows = salvaged.filter(({ taken, refused }) => taken + refused > 0);
  const saved = rows.map(({ table, taken, refused }) =>
    refused === 0 ? `${taken} of ${table}` : `${taken} of ${table} (${refused} unusable)`,
  );
  const taken =
    saved.length === 0 ? "no row could be saved from it" : `rows saved from it: ${saved.join(", ")}`;
  return `${name} was damaged (${problem}); ${from}, and ${taken}. The damaged file is kept as ${quarantined}.`;
}
