/** What installers call a kind of zone, in English and in Romanian, in small letters. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  intrusion: [
    "door",
    "contact",
    "burglary",
    "burglar",
    "efracție",
    "efractie",
    "spargere",
    "ușă",
    "usa",
    "fereastră",
    "fereastra",
    "intruziune",
  ],
  perimeter: ["perimetru", "gate", "poartă", "poarta"],
  motion: ["pir", "mișcare", "miscare"],
  glass: ["geam", "glassbreak", "geam spart", "spargere geam"],
  fire: ["smoke", "heat", "incendiu", "foc", "fum"],
  gas: ["gaz"],
  panic: ["panică", "panica", "urgență", "urgenta", "buton de panică"],
  medical: ["medicală", "medicala", "urgență medicală"],
  flood: ["inundație", "inundatie", "apă", "apa", "water", "leak"],
  tamper: ["sabotaj"],
  holdup: ["jaf", "jaf armat", "hold-up"],
  power: ["alimentare", "rețea"],
  technical: ["tehnic", "tehnică", "tehnica"],
};

/** The kind that a word means; undefined if it is none of those words, or the option does not take kinds. */
export function meantKind(word: string, allowed: readonly string[]): string | undefined {
  const found = Object.entries(WORDS).find(([, words]) => words.includes(word.trim().toLowerCase()));
  return found && allowed.includes(found[0]) ? found[0] : undefined;
}
