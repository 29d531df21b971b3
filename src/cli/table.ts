import { plainLine } from "../domain/single-line.ts";

/** Rows under their headings, in columns as wide as their widest cell; the last column is not filled up. */
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

/** In characters, as a terminal counts them: a letter with its accent is one. */
function widthOf(text: string): number {
  return [...text.normalize("NFC")].length;
}
