import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { compile, compilerMissing } from "../compiler.ts";
import { freePort, MADE, ROOT, SOURCE } from "../paths.ts";
import type { Contender, Setting, Site } from "./contender.ts";

/** Compared by the program, as the product compares a token that it has verified before. */
const TOKEN = "a-token-that-was-verified-before";
/** The SQLite of the product's driver, with its sources. */
const DRIVER = join(ROOT, "node_modules", "better-sqlite3");
const SQLITE = join(DRIVER, "deps", "sqlite3");
/** The time zone that the product's configuration has by default. */
const TIMEZONE = "Europe/Bucharest";

/** What this machine can do at most: one thread in C that writes the product's rows. */
export const floorC: Contender = {
  name: "floor-c",
  missing: () => compilerMissing() ?? sourcesMissing(),
  prepare: async (setting) => prepare(await buildFloor(MADE), setting),
};

function sourcesMissing(): string | undefined {
  return existsSync(join(SQLITE, "sqlite3.c"))
    ? undefined
    : "better-sqlite3 is installed without its sources";
}

/** @param program that `buildFloor` has made */
export async function prepare(program: string, { folder, environment }: Setting): Promise<Site> {
  const port = await freePort();
  const [file, session] = [join(folder, "records.db"), join(folder, "session.sql")];
  await promisify(execFile)(process.execPath, [join(SOURCE, "peers", "lay-out.mjs"), file, session]);
  return {
    port,
    launch: {
      command: program,
      args: [String(port), file, session, TOKEN],
      logFile: join(folder, "log"),
      environment: { ...environment, TZ: TIMEZONE },
    },
    token: () => Promise.resolve(TOKEN),
    records: { file, records: "SELECT count(*) FROM interventions" },
  };
}

/**
 * Compiles floor.c, and SQLite the first time, which takes a minute.
 * @param folder keeps the result of both
 * @returns the program
 */
export async function buildFloor(folder: string, optimisation = "-O3"): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(DRIVER, "package.json"), "utf8")) as { version: string };
  const library = join(folder, `sqlite-of-better-sqlite3-${version}${optimisation}.o`);
  if (!existsSync(library)) {
    const options = definesOf(readFileSync(join(DRIVER, "deps", "defines.gypi"), "utf8"));
    await compile([optimisation, "-w", ...options, "-c", join(SQLITE, "sqlite3.c"), "-o", `${library}.part`]);
    renameSync(`${library}.part`, library);
  }
  const program = join(folder, "floor-c");
  const sources = [join(SOURCE, "peers", "floor.c"), library];
  await compile([optimisation, `-I${SQLITE}`, "-o", program, ...sources, "-lm", "-lpthread", "-ldl"]);
  return program;
}

/** The compile-time options of the driver's SQLite as arguments of a compiler. */
export function definesOf(gypi: string): string[] {
  return [...gypi.matchAll(/'((?:HAVE|SQLITE)_[A-Z0-9_]+(?:=-?\w+)?)'/g)].map(([, define]) => `-D${define}`);
}
