/** Replaces control, line break and bidirectional characters, so that user texts stay on one line in reading order. */
export function plainLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, "�");
}

/** A text of several lines, each as `plainLine`. @param indent before every line but the first, so that it is no line of its own */
export function plainLines(text: string, indent = ""): string {
  return text.split("\n").map(plainLine).join(`\n${indent}`);
}

/**
 * A foreign text as a name: on one line, in reading order, without invisible characters.
 * @param charactersMax the rest is cut off between characters, never within one
 */
export function foreignName(text: string, charactersMax: number): string {
  const visible = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, " ").trim();
  return [...visible].slice(0, charactersMax).join("").trim();
}
