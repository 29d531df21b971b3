import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import { openDatabase, type Database, type DatabaseKind } from "../store/database.ts";
import { RECOUNT } from "../store/intervention-lists.ts";
import { fileProblems } from "../store/integrity.ts";
import type { LogVersion } from "../store/wal-census.ts";
import { lastNumbers as lastNumbersOf } from "../store/sequence-gaps.ts";
import { enqueueUnaccounted, redeliverLostTrips, searchBeforeResend } from "../store/pending-searches.ts";
import { salvage, type Salvage } from "../store/salvage.ts";
import { backupsIn } from "./backups.ts";
import { copyDurably } from "../store/durable-files.ts";
import { quarantine } from "./quarantine.ts";
import { rebuild } from "./rebuild.ts";

/** The result of a recovery, for the log, the event log and the report. */
export interface Recovery {
  readonly name: string;
  readonly problem: string;
  /** Path of the damaged file in quarantine. */
  readonly quarantined: string;
  /** Whether the file could be rebuilt with its write-ahead log. */
  readonly isWhole: boolean;
  /** Committed pages of the write-ahead log that are lost. */
  readonly lostPages: number;
  /** The restored backup; null if none was intact or needed. */
  readonly backup: { readonly path: string; readonly atMs: number } | null;
  /** Null if the file could be rebuilt. */
  readonly salvage: Salvage | null;
  /** The last numbers assigned by its tables, as far as known. */
  readonly lastNumbers: Readonly<Record<string, number>>;
  /** The result as a sentence. */
  readonly sentence: string;
}

export interface RecoveryOptions {
  readonly dataDir: string;
  readonly name: "santinela.db" | "journal.db";
  readonly kind: DatabaseKind;
  readonly problem: string;
  /** The recoverable states, best first. */
  readonly versions: readonly LogVersion[];
  readonly clock: Clock;
}

/** Time limit: an SD card reads 20 MB a second, and after a minute alarms matter more than old rows. */
const SALVAGE_MS_MAX = 60_000;

/**
 * Recovers a damaged or missing database. The file goes into quarantine with its write-ahead log. If the two can be
 * rebuilt, the result replaces it. Otherwise the newest intact backup does, or an empty journal, because an old one
 * would post old trips; then all readable rows are salvaged. Nothing is deleted.
 */
export function recoverDatabase(options: RecoveryOptions): Recovery {
  const { dataDir, name, kind, problem, versions, clock } = options;
  const path = join(dataDir, name);
  // A missing file may have left its log, which contains pages of it.
  if (!existsSync(path) && existsSync(`${path}-wal`)) writeFileSync(path, "");
  const quarantined = quarantine(path, clock.wallMs());
  const exists = existsSync(quarantined);
  const whole = exists ? rebuild(quarantined, path, kind, versions) : undefined;
  const lostPages = (whole ?? versions[0])?.lostPages ?? 0;
  const common = { name, problem, quarantined, isWhole: whole !== undefined, lostPages };
  if (whole) return withSentence({ ...common, backup: null, salvage: null, lastNumbers: {} });
  const backups = name === "santinela.db" ? backupsIn(dataDir) : [];
  const backup = backups.find((copy) => fileProblems(copy.path, kind, "full").length === 0) ?? null;
  if (backup) copyDurably(backup.path, path);
  const database = openDatabase(path, kind);
  try {
    if (name === "santinela.db") searchBeforeResend(database);
    const endMs = clock.monotonicMs() + SALVAGE_MS_MAX;
    const isInTime = (): boolean => clock.monotonicMs() < endMs;
    const overlay = versions[0]?.overlay;
    const salvaged = exists ? salvage(quarantined, database, { kind, overlay, isInTime }) : null;
    if (name === "santinela.db") {
      enqueueUnaccounted(database);
      database.exec(RECOUNT);
    }
    const lastNumbers = salvaged?.lastNumbers ?? lastNumbersOf(database);
    return withSentence({ ...common, backup, salvage: salvaged, lastNumbers });
  } finally {
    database.close();
  }
}

/**
 * Queues trips again whose record is missing, except those older than the restored backup.
 * @returns the number of queued trips
 */
export function requeueLostTrips(
  journal: Database,
  main: Database,
  { backup }: Recovery,
  nowMs: number,
): number {
  const sinceMs = backup ? backup.atMs - CLOCK_MARGIN_MS : nowMs - TRIPS_KEPT_MS;
  return redeliverLostTrips(journal, main, sinceMs);
}

/** Margin for clock steps; an extra trip is harmless, because its key is known. */
const CLOCK_MARGIN_MS = 86_400_000;
/**
 * Retention of posted trips. Records are kept longer, so the missing record of an older trip was removed, not lost.
 */
export const TRIPS_KEPT_MS = 30 * 86_400_000;

function withSentence(result: Omit<Recovery, "sentence">): Recovery {
  return { ...result, sentence: sentenceOf(result) };
}

function sentenceOf(result: Omit<Recovery, "sentence">): string {
  const { name, problem, quarantined, isWhole } = result;
  const how = isWhole ? "it was rebuilt from its write-ahead log" : remedyOf(result);
  return `${name} was damaged (${problem}); ${how}. The damaged file is kept as ${quarantined}.`;
}

function remedyOf({ name, backup, salvage: salvaged }: Omit<Recovery, "sentence">): string {
  const from = backup
    ? `the backup of ${new Date(backup.atMs).toISOString()} was restored`
    : name === "santinela.db"
      ? "there was no intact backup, so a new database was created"
      : "a new database was created";
  const rows = salvaged?.tables.filter(({ taken, refused }) => taken + refused > 0) ?? [];
  const saved = rows.map(({ table, taken, refused }) =>
    refused === 0 ? `${taken} of ${table}` : `${taken} of ${table} (${refused} unusable)`,
  );
  const taken = saved.length === 0 ? "no row could be salvaged" : `rows salvaged: ${saved.join(", ")}`;
  return `${from}, and ${taken}`;
}
