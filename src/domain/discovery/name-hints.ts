import type { ZoneKind } from "../zone.ts";

const TAMPER = /\b(tamper|sabotaj)/;

/**
 * Words in names that people give to contacts, in both languages of the product, without accents: their beginning, or the whole word
 * if others begin like it, such as `apartament` and `gateway`. The first kind counts.
 */
const HINTS: readonly (readonly [RegExp, ZoneKind])[] = [
  [/\b(smoke|flame|fum(ul|ului)?\d*\b|(heat|fire) (alarm|detector|sensor))/, "fire"],
  [/\b(detector|senzor) (de )?(caldura|incendiu)/, "fire"],
  // Doors that are named after the danger that they are for.
  [/\b(fire|emergency|panic) (exit|door)|\b(usa|usi|iesire) (de )?(incendiu|urgenta|panica)/, "intrusion"],
  [/\b(fire(?!place)|incendiu)/, "fire"],
  [/\b(monoxid|co\b|(gas|gaze?|gazului)\d*\b)/, "gas"],
  [/\b(leak|flood|water|inundati|ap(a|ei)\d*\b)/, "flood"],
  [/\b(medical|ambulan)/, "medical"],
  [/\b(panic|emergency|urgenta|sos\d*\b)/, "panic"],
  [/\b(motion|miscar|occupancy|presence|prezenta|radar|pir\d*\b)/, "motion"],
  [/\b(glass|vibration|vibrati|sticla|geam spart|spargere)/, "glass"],
  [TAMPER, "tamper"],
  [/\b(fence|poarta|portii|(gates?|gard(ul|ului)?)\d*\b)/, "perimeter"],
  [/\b(door|window|contact|reed|fereast|ferestr|geam|garage|garaj|us(a|i|ii|ile)\d*\b)/, "intrusion"],
];

/** The kind that the name of a contact suggests; undefined if it suggests none. */
export function kindOfName(name: string): ZoneKind | undefined {
  const plain = plainWords(name);
  return HINTS.find(([pattern]) => pattern.test(plain))?.[1];
}

/** Whether the name of something that is not safe is that of a tamper contact, whatever else is in it. */
export function isTamperName(name: string): boolean {
  return TAMPER.test(plainWords(name)) || /\b(cover|capac)\b/.test(plainWords(name));
}

function plainWords(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, " ");
}
