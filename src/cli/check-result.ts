/** Result of one check. */
export interface CheckResult {
  readonly check: string;
  readonly status: "ok" | "warning" | "error";
  readonly text: string;
  /** What the reader should do. */
  readonly remedy?: string;
}

const SYMBOLS: Readonly<Record<CheckResult["status"], string>> = { ok: "✔", warning: "▲", error: "✖" };

/** Formats results as text: one line each, with the remedy below it. */
export function formatResults(results: readonly CheckResult[]): string {
  return results
    .map(({ check, status, text, remedy }) => {
      const remedyLine = remedy === undefined ? "" : `    ${remedy}\n`;
      return `${SYMBOLS[status]} ${check}: ${text}\n${remedyLine}`;
    })
    .join("");
}
