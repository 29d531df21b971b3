// Makes an empty database of the product for floor.c: node lay-out.mjs DATABASE SESSION. SESSION becomes the SQL that a
// connection begins with: the product's pragmas and its temporary triggers.
import { writeFileSync } from "node:fs";
import { openProductDatabase } from "./same-rows.mjs";

const [path, session] = process.argv.slice(2);
const PRAGMAS = [
  "journal_mode",
  "synchronous",
  "foreign_keys",
  "recursive_triggers",
  "busy_timeout",
  "wal_autocheckpoint",
  "journal_size_limit",
  "trusted_schema",
  "cell_size_check",
  "cache_size",
  "mmap_size",
  "temp_store",
];

const database = openProductDatabase(path);
const pragmas = PRAGMAS.map((name) => `PRAGMA ${name} = ${String(database.pragma(name, { simple: true }))};`);
const triggers = database.prepare("SELECT sql FROM sqlite_temp_schema WHERE type = 'trigger'").pluck().all();
// SQLite keeps the text without the word.
const temporary = triggers.map((sql) => `${sql.replace(/^CREATE TRIGGER/, "CREATE TEMP TRIGGER")};`);
writeFileSync(session, [...pragmas, ...temporary, ""].join("\n"));
database.close();
