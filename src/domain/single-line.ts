/** Replaces control, line break and bidirectional characters, so that user texts stay on one line in reading order. */
export function plainLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, "�");
}
