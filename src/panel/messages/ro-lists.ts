/** Why a list is not read, in Romanian; see ro-daemon.ts. */
export const RO_LISTS: readonly (readonly [english: string, romanian: string])[] = [
  ["_order has no effect without _sort", "_order nu are efect fără _sort"],
  ["the list is no longer needed", "lista nu mai este necesară"],
  ["_sort must name a field of the record, not {field}", "_sort: {field} nu este un câmp al înregistrării"],
  ["ASC or DESC", "ASC sau DESC"],
  ["_sort names a field twice", "_sort conține un câmp de două ori"],
  ["{n} slow lists are already queued", "{n} liste care durează mult așteaptă deja"],
  ["the list cannot be read: {reason}", "lista nu poate fi citită: {reason}"],
  ["its thread cannot be started", "firul ei de execuție nu poate fi pornit"],
  ["its thread has ended", "firul ei de execuție s-a încheiat"],
  ["an earlier one has not ended", "citirea anterioară nu s-a încheiat"],
  ["other slow lists took too long", "alte liste au durat prea mult"],
  [
    "this account already reads {n} slow lists; try again when they have ended",
    "acest cont citește deja {n} liste care durează mult; reîncercați după ce se termină",
  ],
  [
    "the dispatch centre already reads {n} slow lists; try again when they have ended",
    "dispeceratul citește deja {n} liste care durează mult; reîncercați după ce se termină",
  ],
  ["the list took longer than {n} s to read", "citirea listei a durat peste {n} s"],
];
