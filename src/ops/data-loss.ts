import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../store/database.ts";
import { writeDurably } from "../store/durable-files.ts";
import {
  countOf,
  lastNumbers,
  missingNumbers,
  namesOf,
  rangesOf,
  without,
  type NumberedTable,
  type NumberRange,
} from "../store/sequence-gaps.ts";
import { acceptRows, alteredRows } from "../store/row-checksums.ts";
import { transaction } from "../store/transaction.ts";
import type { DatabaseName, GivenNumbers } from "./given-numbers.ts";
import type { Recovery } from "./recovery.ts";

/** What a database has lost, as people are to know it. */
export interface DataLoss {
  readonly database: DatabaseName;
  /** Rows that are missing. */
  readonly missing: number;
  /** Rows that are not what was written. */
  readonly altered: number;
  /** Pages of the file or of its write-ahead log that cannot be read, whatever was in them. */
  readonly pages: number;
  /** Which rows, by table and number, such as `interventions 7, 12-15; trips 3`. */
  readonly named: string;
}

/** The tables of which each row is a record or a trip, and how long their rows are kept at least. */
const COUNTED: Readonly<Record<DatabaseName, { table: NumberedTable; keptMs: number }>> = {
  "santinela.db": { table: "interventions", keptMs: 90 * 86_400_000 },
  "journal.db": { table: "trips", keptMs: 30 * 86_400_000 },
};

export interface KnownOfLoss {
  readonly numbers: GivenNumbers;
  /** Of this start; undefined where there was none. */
  readonly recovery: Recovery | undefined;
  /** Numbers of rows that another database knows of and this one does not. */
  readonly lostNumbers: readonly number[];
  readonly nowMs: number;
}

/**
 * What an open database lacks of what it should have: rows that do not fit their checksum, numbers that were given and
 * that no row has, and what its recovery could not read.
 * @returns undefined when nothing is lost
 */
export function lossOf(name: DatabaseName, database: Database, known: KnownOfLoss): DataLoss | undefined {
  const { numbers, recovery, nowMs, lostNumbers } = known;
  const { table, keptMs } = COUNTED[name];
  const noted = numbers.of(name, table);
  const isOlder = (lastNumbers(database)[table] ?? 0) < noted;
  const last = Math.max(noted, recovery?.lastNumbers[table] ?? 0);
  const gaps = recovery || isOlder ? missingNumbers(database, table, { sinceMs: nowMs - keptMs, last }) : [];
  const found = without(gaps, numbers.accountedFor(table));
  const missing = [...found, ...without(rangesOf(lostNumbers), found)];
  const altered = alteredIn(database, recovery);
  const pages = (recovery?.lostPages ?? 0) + unreadableIn(recovery);
  if (isOlder) raiseNumber(database, table, noted);
  const changed = [...altered.values()].reduce((sum, ids) => sum + ids.size, 0);
  if (missing.length === 0 && changed === 0 && pages === 0) return undefined;
  const named = [...altered].map(([each, ids]) => `${each} ${namesOf(rangesOf([...ids]))}`);
  if (missing.length > 0) named.unshift(`${table} ${namesOf(missing)}`);
  return {
    database: name,
    missing: countOf(missing),
    altered: changed,
    pages,
    named: named.length === 0 ? "-" : named.join("; "),
  };
}

/** A loss in words, for the report. */
export function sentenceOfLoss({ database, missing, altered, pages, named }: DataLoss): string {
  return `${database} has lost data: ${missing} missing, ${altered} altered, ${pages} pages damaged (${named}).`;
}

/** The gaps of a database's numbers, all of which are reported or were never given. */
export function gapsIn(
  name: DatabaseName,
  database: Database,
): Partial<Record<NumberedTable, NumberRange[]>> {
  const { table } = COUNTED[name];
  const last = lastNumbers(database)[table] ?? 0;
  return { [table]: missingNumbers(database, table, { sinceMs: 0, last }) };
}

/** The rows that are not what was written: reported once, and taken for what they are from then on. */
function alteredIn(database: Database, recovery: Recovery | undefined): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  for (const { table, altered } of recovery?.salvage?.tables ?? [])
    if (altered.length > 0) found.set(table, new Set(altered));
  for (const { table, ids } of alteredRows(database)) {
    transaction(database, () => acceptRows(database, table, ids));
    found.set(table, new Set([...(found.get(table) ?? []), ...ids]));
  }
  return found;
}

function unreadableIn(recovery: Recovery | undefined): number {
  if (!recovery || recovery.isWhole) return 0;
  // A file that is gone altogether.
  if (!recovery.salvage) return 1;
  const { tables, unreadablePages } = recovery.salvage;
  const found = tables.reduce((sum, { unreadable, refused }) => sum + unreadable + refused, unreadablePages);
  // The file was not whole, wherever that was.
  return Math.max(1, found);
}

/** Numbers travel: one that was given is not given again to another row. */
function raiseNumber(database: Database, table: NumberedTable, last: number): void {
  const { changes } = database.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = ?").run(last, table);
  if (changes === 0) database.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)").run(table, last);
}

/** The losses that people have not taken note of yet. */
export class LossNotes {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = join(dataDir, LOSSES);
  }

  add(losses: readonly DataLoss[]): void {
    if (losses.length > 0) writeDurably(this.#file, `${JSON.stringify([...this.list(), ...losses])}\n`);
  }

  list(): readonly DataLoss[] {
    if (!existsSync(this.#file)) return [];
    try {
      return JSON.parse(readFileSync(this.#file, "utf8")) as DataLoss[];
    } catch {
      // The disk has damaged this file too; the report in words is beside it.
      return [];
    }
  }

  forget(): void {
    rmSync(this.#file, { force: true });
  }
}

const LOSSES = "losses.json";
