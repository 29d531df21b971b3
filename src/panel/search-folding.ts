/** Normalises a text for search: lower case without diacritics, so that ș, ş and s match. */
export function folded(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}
