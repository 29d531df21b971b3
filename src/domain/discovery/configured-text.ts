/** Maximum visible characters of a zone's name or device in the configuration. */
export const NAME_LENGTH_MAX = 100;

/** The characters of a text that the configuration accepts. */
export function visibleText(text: string): string[] {
  return [...text.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ").trim()];
}
