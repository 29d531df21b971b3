/**
 * Folds a text for searches: lower case without accents, so that ş matches ș and s. Stored in a separate column, because
 * folding a long text costs a thousand times more than searching it.
 */
export function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
}

/** The folded copy of a text that may be missing. */
export function foldedOrNull(text: string | null | undefined): string | null {
  return text === undefined || text === null ? null : folded(text);
}
