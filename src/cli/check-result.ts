import type { AppError } from "../domain/errors.ts";
import { plainLines } from "../domain/single-line.ts";

/** Result of one check. */
export interface CheckResult {
  readonly check: string;
  readonly status: "ok" | "warning" | "error";
  readonly text: string;
  /** What the reader should do. */
  readonly remedy?: string | undefined;
}

const resultWith =
  (status: CheckResult["status"]) =>
  (check: string, text: string, remedy?: string): CheckResult => ({ check, status, text, remedy });
export const ok = resultWith("ok");
export const warning = resultWith("warning");
export const error = resultWith("error");

/** The result of a check that ended with an error. */
export function failed(check: string, { message, hint }: AppError, report = error): CheckResult {
  return report(check, message, hint === "" ? undefined : hint);
}

const SYMBOLS: Readonly<Record<CheckResult["status"], string>> = { ok: "✔", warning: "▲", error: "✖" };

/** Formats results as text: one line each, with the remedy below it. */
export function formatResults(results: readonly CheckResult[]): string {
  return results
    .map(({ check, status, text, remedy }) => {
      const remedyLine = remedy === undefined ? "" : `    ${plainLines(remedy, "    ")}\n`;
      return `${SYMBOLS[status]} ${check}: ${plainLines(text, "    ")}\n${remedyLine}`;
    })
    .join("");
}
