import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../store/database.ts";
import { writeDurably } from "../store/durable-files.ts";
import { lastNumbers, type NumberedTable, type NumberRange } from "../store/sequence-gaps.ts";

export type DatabaseName = "santinela.db" | "journal.db";

interface Noted {
  readonly given: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Numbers that no row has, and that were reported or never given. */
  readonly accountedFor: Readonly<Record<string, readonly NumberRange[]>>;
}

/**
 * The last numbers that the databases have given, in a file beside them. A database that knows less than it has lost its
 * newest commits, or an older file was put in its place: nothing in the file itself can tell.
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

  /** The last number that a table had given when it was noted; 0 before that. */
  of(name: DatabaseName, table: NumberedTable): number {
    return this.#noted.given[name]?.[table] ?? 0;
  }

  accountedFor(table: NumberedTable): readonly NumberRange[] {
    return this.#noted.accountedFor[table] ?? [];
  }

  /**
   * Notes where the databases are; writes nothing when nothing has changed.
   * @param accountedFor gaps that are not to be reported again
   * @throws when the disk does not take it
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

/** Another database is put in place on purpose: what the one before has given says nothing about it. */
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
    // The first start, or an earlier release's folder.
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
