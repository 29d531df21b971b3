import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../store/database.ts";
import { writeDurably } from "../store/durable-files.ts";
import { lastNumbers, type NumberedTable, type NumberRange } from "../store/sequence-gaps.ts";

export type DatabaseName = "santinela.db" | "journal.db";

interface Noted {
  readonly given: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Numbers without a row that were already reported or never assigned. */
  readonly accountedFor: Readonly<Record<string, readonly NumberRange[]>>;
}

/**
 * Stores the last numbers assigned by the databases in a separate file. A database with lower numbers has lost its
 * newest commits or was replaced by an older file, which the file itself cannot show.
 */
export class GivenNumbers {
  readonly #file: string;
  #noted: Noted;
  #text: string;

  constructor(dataDir: string) {
    this.#file = fileIn(dataDir);
    this.#text = textIn(this.#file);
    this.#noted = notedIn(this.#text);
  }

  /** The stored last number of a table; 0 for none. */
  of(name: DatabaseName, table: NumberedTable): number {
    return this.#noted.given[name]?.[table] ?? 0;
  }

  accountedFor(table: NumberedTable): readonly NumberRange[] {
    return this.#noted.accountedFor[table] ?? [];
  }

  /**
   * Stores the last numbers, if they have changed.
   * @param accountedFor gaps that must not be reported again
   * @throws if the disk rejects the write
   */
  note(
    databases: Readonly<Record<DatabaseName, Database>>,
    accountedFor: Readonly<Partial<Record<NumberedTable, readonly NumberRange[]>>> = {},
  ): void {
    const given = Object.fromEntries(
      Object.entries(databases).map(([name, database]) => [name, lastNumbers(database)]),
    );
    const noted = { given, accountedFor: { ...this.#noted.accountedFor, ...accountedFor } };
    const text = `${JSON.stringify(noted)}\n`;
    if (text === this.#text) return;
    writeDurably(this.#file, text);
    this.#text = text;
    this.#noted = noted;
  }
}

/** Deletes the numbers after a restore from backup: they do not apply to the restored database. */
export function forgetGivenNumbers(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}

function fileIn(dataDir: string): string {
  return join(dataDir, "given-numbers.json");
}

function textIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The first run, or a directory of an earlier release.
    return "";
  }
}

function notedIn(text: string): Noted {
  try {
    const { given, accountedFor } = JSON.parse(text) as Partial<Noted>;
    return { given: given ?? {}, accountedFor: accountedFor ?? {} };
  } catch {
    return { given: {}, accountedFor: {} };
  }
}
