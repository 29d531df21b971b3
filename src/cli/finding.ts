/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  readonly verdict: "well" | "doubt" | "fault";
  readonly text: string;
  /** What mends it. */
  readonly remedy?: string;
}

const SIGNS: Readonly<Record<Finding["verdict"], string>> = { well: "✔", doubt: "▲", fault: "✖" };

/** Findings for people: a line each, and what mends it below. */
export function linesOf(findings: readonly Finding[]): string {
  return findings
    .map(({ check, verdict, text, remedy }) => {
      const mended = remedy === undefined ? "" : `    ${remedy}\n`;
      return `${SIGNS[verdict]} ${check}: ${text}\n${mended}`;
    })
    .join("");
}
