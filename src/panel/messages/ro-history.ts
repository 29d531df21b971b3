import type { CatalogueOf } from "./catalogue.ts";
import type { EN_HISTORY } from "./en-history.ts";

/** Cuvintele imaginilor ultimei zile, săptămâni și luni în limba română. */
export const RO_HISTORY: CatalogueOf<typeof EN_HISTORY> = {
  "lanes.title": "Prin ce au trecut zonele",
  "lanes.span": "Interval",
  "lanes.day": "24 de ore",
  "lanes.week": "7 zile",
  "lanes.month": "30 de zile",
  "lanes.none": "Nicio zonă nu a trecut prin ceva în acest timp.",
  "lanes.lane": {
    one: "{zone}: {n} declanșare",
    few: "{zone}: {n} declanșări",
    other: "{zone}: {n} de declanșări",
  },
  "lanes.last": "ultima la {time}",
  "lanes.laneFaults": { one: "{n} deranjament", few: "{n} deranjamente", other: "{n} de deranjamente" },
  "lanes.laneBypasses": { one: "{n} bypass", few: "{n} bypass-uri", other: "{n} de bypass-uri" },
  "lanes.trips": "declanșare",
  "lanes.faults": "deranjament",
  "lanes.bypasses": "bypass",
  "history.title": "Legătura în timp",
  "history.day": "Legătura cu dispeceratul, 24 de ore",
  "history.strip": "Activă {up}, căzută {down}.",
  "history.noAge": "Fiecare înregistrare a plecat imediat.",
  "history.age": "Cea mai veche înregistrare netrimisă a așteptat până la {time}.",
  "span.seconds": { one: "{n} secundă", few: "{n} secunde", other: "{n} de secunde" },
};
