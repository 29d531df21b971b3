import type { CatalogueOf } from "./catalogue.ts";
import type { EN_HISTORY } from "./en-history.ts";

/** Zone history and link history in Romanian. */
export const RO_HISTORY: CatalogueOf<typeof EN_HISTORY> = {
  "zoneHistory.title": "Istoricul zonelor",
  "timeRange.title": "Interval",
  "timeRange.day": "24 de ore",
  "timeRange.week": "7 zile",
  "timeRange.month": "30 de zile",
  "zoneHistory.none": "Nicio activitate în acest interval.",
  "zoneHistory.noneAfter": "Nicio activitate după {time}.",
  "zoneHistory.incomplete":
    "Declanșările și deranjamentele dinainte de {time} nu sunt afișate: au urmat prea multe.",
  "zoneHistory.newest": "Sunt afișate ultimele {limit} de declanșări ale fiecărei zone.",
  "zoneHistory.zone": {
    one: "{zone}: {n} declanșare",
    few: "{zone}: {n} declanșări",
    other: "{zone}: {n} de declanșări",
  },
  "zoneHistory.last": "ultima la {time}",
  "zoneHistory.faults": { one: "{n} deranjament", few: "{n} deranjamente", other: "{n} de deranjamente" },
  "zoneHistory.bypasses": { one: "{n} bypass", few: "{n} bypassuri", other: "{n} de bypassuri" },
  "zoneHistory.tripMark": "declanșare",
  "zoneHistory.faultMark": "deranjament",
  "zoneHistory.bypassMark": "bypass",
  "zoneTrips.title": "Declanșări",
  "zoneTrips.none": "Nicio declanșare în acest interval.",
  "zoneTrips.noneAfter": "Nicio declanșare după {time}.",
  "zoneTrips.hours": "Declanșări pe oră; maximum: {n} ({time})",
  "zoneTrips.days": "Declanșări pe zi; maximum: {n} ({time})",
  "zoneTrips.suppressed": "netransmisă: {reason}",
  "zoneTrips.site.all": "Declanșările din ultimele 24 de ore",
  "zoneTrips.site.dispatched": "Declanșările transmise din ultimele 24 de ore",
  "zoneTrips.site.suppressed": "Declanșările netransmise din ultimele 24 de ore",
  "zoneTrips.newestOfEach":
    "Se iau în calcul numai ultimele {limit} de deschideri și restabiliri ale fiecărei zone.",
  "zoneTrips.newest": "Se iau în calcul numai ultimele {limit} de deschideri și restabiliri.",
  "quiet.moved": "Ultimele schimbări de stare",
  "quiet.trips": {
    one: "{n} declanșare în ultimele 24 de ore",
    few: "{n} declanșări în ultimele 24 de ore",
    other: "{n} de declanșări în ultimele 24 de ore",
  },
  "quiet.moreTrips": {
    one: "Peste {n} declanșare în ultimele 24 de ore",
    few: "Peste {n} declanșări în ultimele 24 de ore",
    other: "Peste {n} de declanșări în ultimele 24 de ore",
  },
  "linkHistory.title": "Istoricul conexiunii",
  "linkHistory.day": "Conexiunea cu dispeceratul, 24 de ore",
  "linkHistory.strip": "Activă {up}, întreruptă {down}.",
  "linkHistory.noAge": "Toate înregistrările au fost transmise imediat.",
  "linkHistory.age": "Așteptarea maximă a unei înregistrări netransmise: {time}.",
};
