/** A line, read in one direction, whatever somebody wrote into a name: what would break or turn it is lost here. */
export function plainLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, "�");
}
