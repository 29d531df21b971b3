import type { LifeSafetyHeld } from "../domain/life-safety.ts";
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
export function widthOf(text: string): number {
  return [...text.normalize("NFC")].length;
}

/** Warning line with the life-safety zones whose trips are not dispatched; empty if there are none. */
export function lifeSafetyNotice(held: readonly Pick<LifeSafetyHeld, "id" | "name" | "kind">[]): string {
  if (held.length === 0) return "";
  const names = held.map(({ id, name, kind }) => `${id} (${name}, ${kind})`);
  return `LIFE SAFETY: alarms of ${names.join(", ")} are not dispatched during this time\n`;
}
