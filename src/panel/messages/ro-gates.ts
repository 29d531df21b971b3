/** What the daemon says of the arming conditions and topics of zones in English, and the same in Romanian, as in `ro-daemon.ts`. */
export const RO_GATES: readonly (readonly [english: string, romanian: string])[] = [
  [
    "invalid schedule. Use a form such as {example}; days are mon to sun, times are 24-hour",
    "program invalid; exemplu: {example}; zilele sunt mon până la sun, iar orele sunt în format de 24 de ore",
  ],
  [
    "zone {id}: the schedule {schedule} disarms on {day} from 00:00 to {time}, after a whole day: a range belongs to the days on which it starts, as in {example}",
    "zona {id}: programul {schedule} dezarmează zona în ziua „{day}”, de la 00:00 la {time}, după o zi întreagă; un interval ține de zilele în care începe, ca în {example}",
  ],
  [
    "several zones: the schedule {schedule} disarms on {day} from 00:00 to {time}, after a whole day: a range belongs to the days on which it starts, as in {example}",
    "mai multe zone: programul {schedule} le dezarmează în ziua „{day}”, de la 00:00 la {time}, după o zi întreagă; un interval ține de zilele în care începe, ca în {example}",
  ],
  [
    "zone {id}: its gate has no normal: {values} arms, and every other value disarms. Add the values that disarm, such as normal: [disarmed]",
    "zona {id}: gate nu are normal: {values} armează, iar orice altă valoare dezarmează; adăugați valorile care dezarmează, de exemplu normal: [disarmed]",
  ],
  [
    "several zones: its gate has no normal: {values} arms, and every other value disarms. Add the values that disarm, such as normal: [disarmed]",
    "mai multe zone: gate nu are normal: {values} armează, iar orice altă valoare dezarmează; adăugați valorile care dezarmează, de exemplu normal: [disarmed]",
  ],
  [
    "zone {id}: oneSensor changes nothing, because no topic of the zone has a wildcard",
    "zona {id}: oneSensor nu are efect, deoarece niciun topic al zonei nu conține caractere speciale (+ sau #)",
  ],
];
