/** One thing that was looked at. */
export interface CheckResult {
  readonly check: string;
  readonly status: "well" | "doubt" | "fault";
  readonly text: string;
  /** What mends it. */
  readonly remedy?: string;
}

const SIGNS: Readonly<Record<CheckResult["status"], string>> = { well: "✔", doubt: "▲", fault: "✖" };

/** Findings for people: a line each, and what mends it below. */
export function linesOf(findings: readonly CheckResult[]): string {
  return findings
    .map(({ check, status, text, remedy }) => {
      const mended = remedy === undefined ? "" : `    ${remedy}\n`;
      return `${SIGNS[status]} ${check}: ${text}\n${mended}`;
    })
    .join("");
}
