/** What the report of a recovered database says, in Romanian; see ro-daemon.ts. */
export const RO_RECOVERY: readonly (readonly [english: string, romanian: string])[] = [
  ["{name} was damaged ({reason}); {how}", "{name} era deteriorat ({reason}); {how}"],
  [
    "{name} was damaged and recovered; the details are lost",
    "{name} a fost deteriorat și recuperat; detaliile s-au pierdut",
  ],
  [
    "the last commit in its write-ahead log is incomplete: a power cut interrupted it, or the log is damaged",
    "ultima tranzacție din jurnalul WAL este incompletă: a întrerupt-o o pană de curent sau jurnalul este deteriorat",
  ],
  ["its write-ahead log is damaged", "jurnalul WAL este deteriorat"],
  [
    "{file} is damaged: its write-ahead log is incomplete",
    "{file} este deteriorat: jurnalul WAL este incomplet",
  ],
  [
    "Start the daemon once: it recovers what can be read, and reports the rest. Then repeat this command",
    "Porniți o dată serviciul: recuperează ce se poate citi și raportează restul. Apoi repetați comanda",
  ],
  ["it was rebuilt from its write-ahead log", "s-a refăcut din jurnalul WAL"],
  ["it continues without that commit", "continuă fără tranzacția aceea"],
  [
    "an earlier state was rebuilt from its write-ahead log",
    "s-a refăcut o stare anterioară, din jurnalul WAL",
  ],
  ["the backup of {time} was restored", "s-a restaurat copia de siguranță creată la {time}"],
  [
    "there was no intact backup, so a new database was created",
    "nu exista nicio copie de siguranță intactă, deci s-a creat o bază de date nouă",
  ],
  ["a new database was created", "s-a creat o bază de date nouă"],
  ["no row could be salvaged", "niciun rând nu a putut fi recuperat"],
  ["rows salvaged: {rows}", "rânduri recuperate: {rows}"],
  ["rows unusable: {rows}", "rânduri inutilizabile: {rows}"],
  ["The damaged file is kept as {file}", "Fișierul deteriorat se păstrează ca {file}"],
  ["Its log is kept as {file}", "Jurnalul WAL se păstrează ca {file}"],
  [
    "{database} has lost data: {missing} missing, {altered} altered, {pages} pages damaged ({named})",
    "Din {database} s-au pierdut date. Lipsă: {missing}; modificate: {altered}; pagini deteriorate: {pages} ({named})",
  ],
  // The named rows of a loss
  ["interventions {numbers}", "intervenții {numbers}"],
  ["trips {numbers}", "declanșări {numbers}"],
  ["accounts incomplete", "date incomplete: conturi"],
  ["objectives incomplete", "date incomplete: obiective"],
  ["outbox incomplete", "date incomplete: coada de transmitere"],
  [
    "messages to the monitoring receiver incomplete",
    "date incomplete: mesaje către receptorul de monitorizare",
  ],
  [
    "zone numbers at the monitoring receiver incomplete",
    "date incomplete: numerele zonelor la receptorul de monitorizare",
  ],
  ["event log incomplete", "date incomplete: jurnalul de evenimente"],
  ["floor plans incomplete", "date incomplete: planuri"],
  ["sites incomplete", "date incomplete: locații"],
  ["histories of the sites incomplete", "date incomplete: istoricul locațiilor"],
  ["walk tests incomplete", "date incomplete: teste de mers (walk test)"],
  ["contacts of the zones incomplete", "date incomplete: contactele zonelor"],
  ["bypasses incomplete", "date incomplete: bypassuri"],
  ["incidents incomplete", "date incomplete: incidente"],
  ["faults incomplete", "date incomplete: deranjamente"],
  [
    "{n} trips of the journal are posted again with their original keys",
    "Declanșări retransmise din jurnalul declanșărilor cu cheile lor inițiale: {n}",
  ],
  ["Read {file}, then remove it", "Citiți {file}, apoi ștergeți-l"],
  [
    "the daemon ended before the restore of the uploaded backup was complete",
    "serviciul s-a oprit înainte de terminarea restaurării copiei încărcate",
  ],
  [
    "If the event log does not show the restore, upload the backup again",
    "Dacă restaurarea nu apare în jurnalul de evenimente, încărcați din nou copia",
  ],
];
