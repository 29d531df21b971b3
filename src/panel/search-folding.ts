/** Text as people search it: without capitals and diacritics, so that ș, ş and s are one letter. */
export function folded(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}
