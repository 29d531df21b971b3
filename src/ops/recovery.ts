import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import { openDatabase, type Database, type DatabaseKind } from "../store/database.ts";
import { RECOUNT } from "../store/intervention-counts.ts";
import { fileProblems } from "../store/integrity.ts";
import type { LogVersion } from "../store/wal-census.ts";
import { lastNumbers as lastNumbersOf } from "../store/sequence-gaps.ts";
import { redeliverLostTrips } from "../store/redelivery.ts";
import { enqueueUnaccounted, searchBeforeResend } from "../store/pending-searches.ts";
import { salvage, type Salvage } from "../store/salvage.ts";
import { backupsIn } from "./backups.ts";
import { copyDurably } from "../store/durable-files.ts";
import { quarantine } from "./quarantine.ts";
import { rebuild } from "./rebuild.ts";

/** What a recovery did, for the log, the event log and the report. */
export interface Recovery {
  readonly name: string;
  readonly problem: string;
  /** Where the damaged file is now. */
  readonly quarantined: string;
  /** Whether the file could be made whole again with what its write-ahead log has. */
  readonly isWhole: boolean;
  /** Committed pages of the write-ahead log that are in no version. */
  readonly lostPages: number;
  /** The copy that was put back; null where there was no good one, or none was needed. */
  readonly backup: { readonly path: string; readonly atMs: number } | null;
  /** Null where the file could be made whole. */
  readonly salvage: Salvage | null;
  /** The last numbers that its tables had given, as far as they are known. */
  readonly lastNumbers: Readonly<Record<string, number>>;
  /** All of it for people. */
  readonly sentence: string;
}

export interface RecoveryOptions {
  readonly dataDir: string;
  readonly name: "santinela.db" | "journal.db";
  readonly kind: DatabaseKind;
  readonly problem: string;
  /** What the database may be made of, the best first. */
  readonly versions: readonly LogVersion[];
  readonly clock: Clock;
}

/** A card reads 20 MB in a second; past this the alarms matter more than further old rows. */
const SALVAGE_MS_MAX = 60_000;

/**
 * Restores a damaged or missing database: the file goes into quarantine with its write-ahead log. Where the two can be
 * made whole again that takes its place; else the newest good copy does (the journal begins empty: an old one would
 * post old trips), and every row that can still be read of the damaged file is taken over. Nothing is deleted.
 */
export function recoverDatabase(options: RecoveryOptions): Recovery {
  const { dataDir, name, kind, problem, versions, clock } = options;
  const path = join(dataDir, name);
  // A file that is gone may have left its log, and the log has pages of it.
  if (!existsSync(path) && existsSync(`${path}-wal`)) writeFileSync(path, "");
  const quarantined = quarantine(path, clock.wallMs());
  const exists = existsSync(quarantined);
  const whole = exists ? rebuild(quarantined, path, kind, versions) : undefined;
  const lostPages = (whole ?? versions[0])?.lostPages ?? 0;
  const common = { name, problem, quarantined, isWhole: whole !== undefined, lostPages };
  if (whole) return finished({ ...common, backup: null, salvage: null, lastNumbers: {} });
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
    return finished({ ...common, backup, salvage: salvaged, lastNumbers });
  } finally {
    database.close();
  }
}

/** A trip is posted again when its record is not there any more, unless it is older than the copy that was put back. */
export function requeueLostTrips(
  journal: Database,
  main: Database,
  { backup }: Recovery,
  nowMs: number,
): number {
  const sinceMs = backup ? backup.atMs - CLOCK_MARGIN_MS : nowMs - TRIPS_KEPT_MS;
  return redeliverLostTrips(journal, main, sinceMs);
}

/** Wall clocks are set now and then; a trip too many is harmless, its key is known. */
const CLOCK_MARGIN_MS = 86_400_000;
/** How long the journal keeps posted trips; records are kept longer, so an older trip's record is not lost but removed. */
export const TRIPS_KEPT_MS = 30 * 86_400_000;

function finished(done: Omit<Recovery, "sentence">): Recovery {
  return { ...done, sentence: sentenceOf(done) };
}

function sentenceOf(done: Omit<Recovery, "sentence">): string {
  const { name, problem, quarantined, isWhole } = done;
  const how = isWhole ? "it was made whole again" : remedyOf(done);
  return `${name} was damaged (${problem}); ${how}. The damaged file is kept as ${quarantined}.`;
}

function remedyOf({ name, backup, salvage: salvaged }: Omit<Recovery, "sentence">): string {
  const from = backup
    ? `the copy of ${new Date(backup.atMs).toISOString()} was restored`
    : name === "santinela.db"
      ? "there was no good copy, so it begins empty"
      : "it begins empty";
  const rows = salvaged?.tables.filter(({ taken, refused }) => taken + refused > 0) ?? [];
  const saved = rows.map(({ table, taken, refused }) =>
    refused === 0 ? `${taken} of ${table}` : `${taken} of ${table} (${refused} unusable)`,
  );
  const taken =
    saved.length === 0 ? "no row could be saved from it" : `rows saved from it: ${saved.join(", ")}`;
  return `${from}, and ${taken}`;
}
