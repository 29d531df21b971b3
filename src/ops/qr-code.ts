import { encodeQR } from "qr";

/** Light margin around the code in modules. The standard has four; readers need two, and a console is narrow. */
const MARGIN = 2;

/**
 * A QR code as lines of text with two modules in each character, for a terminal with light text on a dark background, such as
 * the console of a device.
 */
export function qrText(text: string): string {
  const modules = encodeQR(text, "raw", { border: MARGIN, ecc: "low" });
  const lines: string[] = [];
  for (let row = 0; row < modules.length; row += 2) {
    const [upper = [], lower = []] = [modules[row], modules[row + 1]];
    // The last line of an odd number of rows has nothing below it.
    lines.push(upper.map((isDark, column) => HALVES[`${isDark} ${lower[column] ?? true}`]).join(""));
  }
  return lines.join("\n");
}

/** By whether the upper and the lower module are dark: a light module is drawn, a dark one is left out. */
const HALVES: Readonly<Record<string, string>> = {
  "true true": " ",
  "true false": "▄",
  "false true": "▀",
  "false false": "█",
};

/** A QR code as a path for SVG: one unit for each module, dark modules filled, with its margin. */
export function qrPath(text: string): { readonly path: string; readonly size: number } {
  const modules = encodeQR(text, "raw", { border: MARGIN, ecc: "medium" });
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return { path, size: modules.length };
}
