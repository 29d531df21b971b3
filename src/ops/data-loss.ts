import { plainLine } from "../domain/single-line.ts";
import type { Database } from "../store/database.ts";
import {
  numbersInRanges,
  lastNumbers,
  missingNumbers,
  formatRanges,
  rangesOf,
  setLastNumber,
  without,
} from "../store/sequence-gaps.ts";
import { acceptAlteredRows } from "../store/altered-rows.ts";
import { alteredRows, type RowKey } from "../store/row-checksums.ts";
import { COUNTED, type AssignedNumbers, type DatabasesByName, type NumberGaps } from "./assigned-numbers.ts";
import type { DatabaseName } from "./database-files.ts";
import { incompleteTables } from "./incomplete-tables.ts";
import type { Recovery } from "./recovery.ts";
import { lostTrailEnd, TRAIL_DATABASE } from "./trail-losses.ts";

/** What a database has lost, for reports. */
export interface DataLoss {
  readonly database: DatabaseName;
  /** Number of missing rows. */
  readonly missing: number;
  /** Number of rows with a wrong checksum. */
  readonly altered: number;
  /** Unreadable pages of the file or of its write-ahead log. */
  readonly pages: number;
  /** The affected rows by table and number, and tables that are incomplete: `interventions 7, 12-15; accounts incomplete`. */
  readonly named: string;
}

interface LossEvidence {
  readonly numbers: AssignedNumbers;
  /** Its recoveries without a report: several if the power failed again before the report. */
  readonly recoveries: readonly Recovery[];
  /** Numbers of rows that only the other database refers to. */
  readonly lostNumbers: readonly number[];
  readonly nowMs: number;
}

/**
 * Determines the losses of an open database: rows with a wrong checksum, assigned numbers without a row, and what
 * its recovery could not read. Changes nothing: after `acceptLosses` they are no longer found.
 * @returns undefined if nothing is lost
 */
export function lossOf(name: DatabaseName, database: Database, evidence: LossEvidence): DataLoss | undefined {
  const { numbers, recoveries, nowMs, lostNumbers } = evidence;
  const { table, retentionMs } = COUNTED[name];
  const lost = spanOf(lostNumbers);
  const noted = Math.max(numbers.of(name, table), lost.last);
  const isOlder = (lastNumbers(database)[table] ?? 0) < noted;
  // No number is assigned before the report. A later recovery would count those that the first has skipped.
  const known = recoveries.find(({ lastNumbers: numbered }) => table in numbered)?.lastNumbers[table];
  const last = Math.max(noted, known ?? 0);
  const gaps =
    recoveries.length > 0 || isOlder
      ? missingNumbers(database, table, { sinceMs: nowMs - retentionMs, first: lost.first, last })
      : [];
  const found = without(gaps, numbers.accountedFor(table));
  const missing = [...found, ...without(rangesOf(lostNumbers), found)];
  const altered = alteredIn(database, recoveries);
  const entries = name === TRAIL_DATABASE ? lostTrailEnd(database, numbers.trailEnd) : undefined;
  const pages = recoveries.reduce((sum, each) => sum + each.lostPages + unreadableIn(each), 0);
  const changed = [...altered.values()].reduce((sum, ids) => sum + ids.size, 0);
  if (missing.length === 0 && changed === 0 && pages === 0 && !entries) return undefined;
  const named = [...altered].map(([each, ids]) => `${each} ${keysText([...ids])}`);
  if (missing.length > 0) named.unshift(`${table} ${formatRanges(missing)}`);
  if (entries) named.push(entries.named);
  named.push(...incompleteTables(recoveries));
  return {
    database: name,
    missing: numbersInRanges(missing) + (entries?.missing ?? 0),
    altered: changed + (entries?.altered ?? 0),
    pages,
    named: named.length === 0 ? "-" : named.join("; "),
  };
}

/** A loss as a sentence, for the report. */
export function sentenceOfLoss({ database, missing, altered, pages, named }: DataLoss): string {
  return `${database} has lost data: ${missing} missing, ${altered} altered, ${pages} pages damaged (${named}).`;
}

/**
 * The gaps in the numbers of the databases, up to the last ones known: all are reported or were never assigned.
 * @param lostNumbers numbers of rows that only the other database refers to
 */
export function gapsIn(
  databases: DatabasesByName,
  numbers: AssignedNumbers,
  lostNumbers: Readonly<Partial<Record<DatabaseName, readonly number[]>>>,
): NumberGaps {
  const names = Object.keys(COUNTED) as DatabaseName[];
  return Object.fromEntries(
    names.map((name) => {
      const { table } = COUNTED[name];
      const stored = lastNumbers(databases[name])[table] ?? 0;
      const lost = spanOf(lostNumbers[name] ?? []);
      const last = Math.max(stored, numbers.of(name, table), lost.last);
      return [table, missingNumbers(databases[name], table, { sinceMs: 0, first: lost.first, last })];
    }),
  );
}

/** Accepts what has been reported, so that it is reported once: altered rows as they are or as lost, lost numbers as used. */
export function acceptLosses(name: DatabaseName, database: Database, gaps: NumberGaps): void {
  acceptAlteredRows(database);
  const { table } = COUNTED[name];
  const last = gaps[table]?.at(-1)?.[1] ?? 0;
  // Numbers are used outside, so an assigned one is not reused.
  if ((lastNumbers(database)[table] ?? 0) < last) setLastNumber(database, table, last);
}

/** The first and the last of some numbers. Numbers are assigned in order, so all between them have been. */
function spanOf(numbers: readonly number[]): { first: number; last: number } {
  return numbers.reduce(
    ({ first, last }, number) => ({ first: Math.min(first, number), last: Math.max(last, number) }),
    { first: Infinity, last: 0 },
  );
}

function alteredIn(database: Database, recoveries: readonly Recovery[]): Map<string, Set<RowKey>> {
  const salvaged = recoveries.flatMap(({ salvage }) => salvage?.tables ?? []);
  const found = new Map<string, Set<RowKey>>();
  for (const { table, ids } of [
    ...salvaged.map(({ table, altered }) => ({ table, ids: altered })),
    ...alteredRows(database),
  ])
    if (ids.length > 0) found.set(table, new Set([...(found.get(table) ?? []), ...ids]));
  return found;
}

const KEYS_SHOWN_MAX = 20;

/** Numbers as ranges; names, which a flipped bit may have changed too, on one line. */
function keysText(keys: readonly RowKey[]): string {
  const numbers = keys.filter((key) => typeof key === "number");
  if (numbers.length > 0) return formatRanges(rangesOf(numbers));
  const shown = keys.slice(0, KEYS_SHOWN_MAX).map((key) => plainLine(String(key)));
  return [...shown, ...(keys.length > shown.length ? ["…"] : [])].join(", ");
}

function unreadableIn(recovery: Recovery): number {
  if (recovery.isWhole) return 0;
  // The file is missing.
  if (!recovery.salvage) return 1;
  const { tables, unreadablePages } = recovery.salvage;
  const found = tables.reduce((sum, { unreadable, refused }) => sum + unreadable + refused, unreadablePages);
  // The file is damaged, so at least one page.
  return Math.max(1, found);
}
