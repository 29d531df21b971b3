/**
 * A text as searches compare it: small letters without accents, so that ş finds ș and s. It is kept in a column of its
 * own: folding a long text costs a thousand times what looking into it does.
 */
export function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
}
