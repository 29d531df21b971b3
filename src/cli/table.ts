import { plainLine } from "../domain/single-line.ts";

/** Formats rows as a table with headings; the last column is not padded. */
export function tableText(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(plainLine))];
  const widths = headings.map((_heading, column) =>
    Math.max(...lines.map((line) => widthOf(line[column] ?? ""))),
  );
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** Width in characters after Unicode normalisation: a letter with its accent is one. */
function widthOf(text: string): number {
  return [...text.normalize("NFC")].length;
}
