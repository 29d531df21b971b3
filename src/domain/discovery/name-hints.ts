import type { ZoneKind } from "../zone.ts";

const TAMPER = /\b(tamper|sabotaj)/;

/** Parts of names that people give to contacts, in both languages of the product, without accents. */
const HINTS: readonly (readonly [RegExp, ZoneKind])[] = [
  [
    /\b(smoke|fire|flame|fum|incendiu|heat (alarm|detector|sensor))|\b(detector|senzor) (de )?caldura/,
    "fire",
  ],
  [/\b(gas|gaz|co)\b|monoxide|monoxid/, "gas"],
  [/\b(leak|flood|water|apa|inundati)/, "flood"],
  [/\b(panic|panica|sos|emergency|urgenta)/, "panic"],
  [/\b(pir|motion|miscare|occupancy|presence|prezenta|radar)/, "motion"],
  [/\b(glass|vibration|vibrati|sticla|geam spart)/, "glass"],
  [TAMPER, "tamper"],
  [/\b(gate|poarta|fence|gard)/, "perimeter"],
  [/\b(door|window|contact|reed|usa|fereastra|geam|garage|garaj)/, "intrusion"],
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
