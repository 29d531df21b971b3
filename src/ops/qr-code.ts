import { encodeQR } from "qr";

/** Light margin around the code in modules. The standard has four; readers need two, and a console is narrow. */
const MARGIN = 2;

/**
 * A QR code as lines of text with two modules in each character, for a terminal with light text on a dark background, such as
 * the console of a device.
 * @param isDarkText for dark text on a light background instead, such as that of an editor
 */
export function qrText(text: string, { isDarkText = false } = {}): string {
  const modules = encodeQR(text, "raw", { border: MARGIN, ecc: "low" });
  const lines: string[] = [];
  for (let row = 0; row < modules.length; row += 2) {
    const [upper = [], lower = []] = [modules[row], modules[row + 1]];
    // The last line of an odd number of rows has nothing below it.
    const drawn = (isDark: boolean | undefined): boolean => (isDark ?? !isDarkText) === isDarkText;
    lines.push(upper.map((isDark, column) => HALVES[`${drawn(isDark)} ${drawn(lower[column])}`]).join(""));
  }
  return lines.join("\n");
}

/** By whether the upper and the lower module are drawn. */
const HALVES: Readonly<Record<string, string>> = {
  "false false": " ",
  "false true": "▄",
  "true false": "▀",
  "true true": "█",
};

/** A QR code as a path for SVG: one unit for each module, dark modules filled, with its margin. */
export function qrPath(text: string): { readonly path: string; readonly size: number } {
  const modules = encodeQR(text, "raw", { border: MARGIN, ecc: "medium" });
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return { path, size: modules.length };
}
