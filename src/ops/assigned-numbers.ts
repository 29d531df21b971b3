import { readFileSync } from "node:fs";
import { join } from "node:path";
import { trailEnd, type TrailEnd } from "../store/audit-trail.ts";
import type { Database } from "../store/database.ts";
import { writeDurably } from "../store/durable-files.ts";
import { lastNumbers, type NumberedTable, type NumberRange } from "../store/sequence-gaps.ts";
import type { DatabaseName } from "./database-files.ts";
import { TRAIL_DATABASE } from "./trail-losses.ts";

/** The tables of records and trips, and the minimum retention of their rows. */
export const COUNTED: Readonly<Record<DatabaseName, { table: NumberedTable; retentionMs: number }>> = {
  "santinela.db": { table: "interventions", retentionMs: 90 * 86_400_000 },
  "journal.db": { table: "trips", retentionMs: 30 * 86_400_000 },
};

export type DatabasesByName = Readonly<Record<DatabaseName, Database>>;

/** Assigned numbers without a row. */
export type NumberGaps = Readonly<Partial<Record<NumberedTable, readonly NumberRange[]>>>;

interface Noted {
  readonly given: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Numbers without a row that were already reported or never assigned. */
  readonly accountedFor: Readonly<Record<string, readonly NumberRange[]>>;
  /** The newest entry of the audit trail; missing for an empty one. */
  readonly trail?: TrailEnd | undefined;
}

/**
 * Stores the last numbers assigned by the databases in a separate file. A database with lower numbers has lost its
 * newest commits or was replaced by an older file, which the file itself cannot show.
 */
export class AssignedNumbers {
  readonly #file: string;
  #noted: Noted = { given: {}, accountedFor: {} };
  #text = "";

  constructor(dataDir: string) {
    this.#file = fileIn(dataDir);
    try {
      this.#text = readFileSync(this.#file, "utf8");
      const { given, accountedFor, trail } = JSON.parse(this.#text) as Partial<Noted>;
      this.#noted = { given: given ?? {}, accountedFor: accountedFor ?? {}, trail };
    } catch {
      // The first run, a directory of an earlier release, or a damaged file.
    }
  }

  /** The stored last number of a table; 0 for none. */
  of(name: DatabaseName, table: NumberedTable): number {
    return this.#noted.given[name]?.[table] ?? 0;
  }

  /** The stored last numbers of all tables of a database. */
  allOf(name: DatabaseName): Readonly<Record<string, number>> {
    return this.#noted.given[name] ?? {};
  }

  /** The noted end of the audit trail; undefined for none. */
  get trailEnd(): TrailEnd | undefined {
    return this.#noted.trail;
  }

  accountedFor(table: NumberedTable): readonly NumberRange[] {
    return this.#noted.accountedFor[table] ?? [];
  }

  /**
   * Stores the last numbers, if they have changed.
   * @param accountedFor gaps that must not be reported again
   * @throws if the disk rejects the write
   */
  note(databases: DatabasesByName, accountedFor: NumberGaps = {}): void {
    const given = Object.fromEntries(
      Object.entries(databases).map(([name, database]) => [name, lastNumbers(database)]),
    );
    const trail = trailEnd(databases[TRAIL_DATABASE]);
    const noted = { given, accountedFor: { ...this.#noted.accountedFor, ...accountedFor }, trail };
    this.#store(noted);
  }

  /** Forgets what is known of a database that was replaced: it does not apply to the other one. @throws as `note` */
  forget(name: DatabaseName): void {
    const without = <T>(values: Readonly<Record<string, T>>, key: string): Record<string, T> =>
      Object.fromEntries(Object.entries(values).filter(([each]) => each !== key));
    const { given, accountedFor, trail } = this.#noted;
    this.#store({
      given: without(given, name),
      accountedFor: without(accountedFor, COUNTED[name].table),
      trail: name === TRAIL_DATABASE ? undefined : trail,
    });
  }

  #store(noted: Noted): void {
    const text = `${JSON.stringify(noted)}\n`;
    if (text === this.#text) return;
    writeDurably(this.#file, text);
    this.#text = text;
    this.#noted = noted;
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, "given-numbers.json");
}
