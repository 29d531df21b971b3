/** What installers call a kind of zone, in English and in Romanian, in small letters. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  intrusion: ["door", "contact", "burglary", "burglar", "efracție", "efractie", "ușă", "usa", "intruziune"],
  perimeter: ["perimetru", "gate", "poartă", "poarta"],
  motion: ["pir", "mișcare", "miscare"],
  glass: ["geam", "glassbreak", "spargere"],
  fire: ["smoke", "heat", "incendiu", "foc", "fum"],
  gas: ["gaz"],
  panic: ["panică", "panica"],
  medical: ["urgență", "urgenta"],
  technical: ["tehnic", "tehnică", "tehnica"],
};

/** The kind that a word means; undefined if it is none of those words, or the option does not take kinds. */
export function meantKind(word: string, allowed: readonly string[]): string | undefined {
  const found = Object.entries(WORDS).find(([, words]) => words.includes(word.trim().toLowerCase()));
  return found && allowed.includes(found[0]) ? found[0] : undefined;
}
