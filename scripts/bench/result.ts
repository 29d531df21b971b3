import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import type { ContenderName } from "./contenders/contender.ts";
import type { Measured } from "./figures.ts";
import type { Machine } from "./machine.ts";
import { MADE, SOURCE } from "./paths.ts";
import type { Heavy } from "./profile.ts";

/** What a run has measured; result.schema.json says the same for readers of the file. */
export interface Result {
  readonly format: 1;
  /** UTC, to the second. */
  readonly startedAt: string;
  readonly minutes: number;
  readonly quick: boolean;
  readonly machine: Machine;
  /** Load average of a minute, before and after. */
  readonly load: { readonly before: number; readonly after: number };
  readonly measured: readonly Measured[];
  /** Who was not measured, and why. */
  readonly missing: readonly { readonly contender: ContenderName; readonly reason: string }[];
  readonly profiles?: readonly Profile[];
}

/** Where the time goes under one kind of load. */
export interface Profile {
  readonly load: string;
  readonly heaviest: readonly Heavy[];
}

/** Where the newest result is kept. */
export const RESULT_FILE = join(MADE, "result.json");

export function writeResult(path: string, result: Result): void {
  assertResult(result, path);
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
}

/** @throws Error for a file that is not a result of this bench */
export function readResult(path: string): Result {
  return assertResult(JSON.parse(readFileSync(path, "utf8")), path);
}

/** @throws Error for anything that is not a result */
export function assertResult(value: unknown, what: string): Result {
  const schema = JSON.parse(readFileSync(join(SOURCE, "result.schema.json"), "utf8")) as object;
  const ajv = new Ajv();
  if (!ajv.validate(schema, value)) throw new Error(`${what} is no result of the bench: ${ajv.errorsText()}`);
  return value as Result;
}
