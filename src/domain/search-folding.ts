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
