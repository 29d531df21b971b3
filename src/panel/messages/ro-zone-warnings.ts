/** What the check of a configuration warns of in zones, in English, and the same in Romanian, as in `ro-daemon.ts`. */
export const RO_ZONE_WARNINGS: readonly (readonly [english: string, romanian: string])[] = [
  [
    "zone {id}: objective {objective} of {type} is not in objectives; import it, otherwise a placeholder name is used",
    "zona {id}: obiectivul {objective} nu este în lista „{type}”; importați-l, altfel se folosește un nume provizoriu",
  ],
  [
    "several zones: objective {objective} of {type} is not in objectives; import it, otherwise a placeholder name is used",
    "mai multe zone: obiectivul {objective} nu este în lista „{type}”; importați-l, altfel se folosește un nume provizoriu",
  ],
  ["zone {id}: is disabled; it is not monitored", "zona {id} este dezactivată și nu este monitorizată"],
  [
    "zone {id}: a single motion detector requests the police without confirmation by a second zone",
    "zona {id}: un singur detector de mișcare solicită poliția, fără confirmare de la a doua zonă",
  ],
  [
    "zone {id}: entryDelayS without a gate delays every trip and cancels none",
    "zona {id}: temporizarea la intrare fără condiție de armare întârzie fiecare declanșare și nu anulează niciuna",
  ],
  [
    "zone {id}: its gate is ignored; {kind} is always dispatched",
    "zona {id}: condiția de armare nu are efect; o zonă de tipul {kind} transmite întotdeauna",
  ],
  [
    "zone {id}: entryDelayS is ignored; {kind} is dispatched immediately",
    "zona {id}: temporizarea la intrare nu are efect; o zonă de tipul {kind} transmite imediat",
  ],
  [
    "zone {id}: whenArmedOpen is ignored; an open {kind} zone always trips",
    "zona {id}: whenArmedOpen nu are efect; o zonă deschisă de tipul {kind} se declanșează întotdeauna",
  ],
  [
    "zone {id}: dedupe is ignored for a {kind} zone; every opening is a trip",
    "zona {id}: dedupe nu are efect la o zonă de tipul {kind}; fiecare deschidere este o declanșare",
  ],
  [
    "zone {id}: open has only numbers and normal only text; a device sends one or the other",
    "zona {id}: open are numai numere, iar normal numai text; un echipament le transmite pe unele sau pe celelalte",
  ],
  [
    "zone {id}: {topic}: the topic begins or ends with a blank, which counts",
    "zona {id}: {topic}: topicul începe sau se termină cu un spațiu, care contează",
  ],
  [
    "zone {id}: {topic}: the topic begins or ends with a slash, so it has an empty level",
    "zona {id}: {topic}: topicul începe sau se termină cu o bară oblică, deci are un nivel gol",
  ],
  [
    "zone {id}: {path}: the path ends with a slash, so it names an empty key",
    "zona {id}: {path}: calea se termină cu o bară oblică, deci numește o cheie goală",
  ],
];
