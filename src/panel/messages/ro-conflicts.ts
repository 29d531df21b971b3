/** What the daemon says about records that differ from those of the dispatch centre, in Romanian; see ro-daemon.ts. */
export const RO_CONFLICTS: readonly (readonly [english: string, romanian: string])[] = [
  [
    "a trip has joined this intervention since; it is sent again",
    "o declanșare s-a adăugat între timp la această intervenție; se retransmite",
  ],
  [
    "the dispatch centre has no newer record: this one was deleted there, or was lost in a restore from a backup",
    "dispeceratul nu are nicio înregistrare mai nouă: înregistrarea acestei intervenții a fost ștearsă acolo sau s-a pierdut la restaurarea dintr-o copie de siguranță",
  ],
  [
    "record {there} exists at the dispatch centre, at an objective that the account of this site may not use",
    "înregistrarea {there} există la dispecerat, la un obiectiv pe care contul acestei locații nu îl poate folosi",
  ],
  [
    "santinela sync retry {id} would create it a second time",
    "santinela sync retry {id} ar crea-o a doua oară",
  ],
  [
    "at an objective that the account of this site may not use, after it was done on both sides",
    "la un obiectiv pe care contul acestei locații nu îl poate folosi, după finalizarea de ambele părți",
  ],
  ["if it was lost, run santinela sync retry {id}", "dacă s-a pierdut, rulați santinela sync retry {id}"],
  [
    "the dispatch centre assigns ids again, so it was restored from a backup and has lost this record; it is searched for and created again if not found",
    "dispeceratul alocă din nou aceleași numere, deci a fost restaurat dintr-o copie de siguranță și a pierdut această înregistrare; se caută, iar dacă nu este găsită, se creează din nou",
  ],
  [
    "deleted at the dispatch centre after it was done on both sides",
    "ștearsă la dispecerat după ce a fost finalizată atât local, cât și acolo",
  ],
  ["deleted at the dispatch centre", "ștearsă la dispecerat"],
  [
    "the dispatch centre responded with record {id}, which is not the one that was sent",
    "dispeceratul a răspuns cu înregistrarea {id}, care nu este cea transmisă",
  ],
  [
    "the dispatch centre responded with record {id}, which is linked to intervention {n}; was the centre restored from a backup?",
    "dispeceratul a răspuns cu înregistrarea {id}, asociată intervenției {n}; a fost restaurat dintr-o copie de siguranță?",
  ],
  [
    "record {id} of the dispatch centre is no longer this intervention; it is searched for and created again if not found",
    "înregistrarea {id} de la dispecerat nu mai corespunde acestei intervenții; se caută, iar dacă nu este găsită, se creează din nou",
  ],
  [
    "record {id} of the dispatch centre no longer carries our reference and its start date does not match; if it is this intervention, run santinela sync reassert {n}; if not, run santinela sync retry {m}",
    "înregistrarea {id} de la dispecerat nu mai are referința locației, iar ora de început nu corespunde; dacă este această intervenție, rulați santinela sync reassert {n}; dacă nu, rulați santinela sync retry {m}",
  ],
  [
    "the dispatch centre has a copy of this record ({copies} besides {id}) that this site did not create; if it is not needed, delete it there",
    "dispeceratul are o copie a acestei înregistrări ({copies}, pe lângă {id}) pe care această locație nu a creat-o; dacă nu este necesară, ștergeți-o acolo",
  ],
  [
    "the dispatch centre has the reference of this record, which was deleted here, in another one ({copies}); if that one is not needed, delete it there",
    "referința acestei înregistrări, șterse local, apare la dispecerat în altă înregistrare ({copies}); dacă aceea nu este necesară, ștergeți-o acolo",
  ],
  [
    "the dispatch centre had not shown record {id} for a while, and shows it again",
    "înregistrarea {id} nu a apărut un timp la dispecerat, iar acum apare din nou",
  ],
  [
    "record {id} was deleted here, and the dispatch centre had it again: it was deleted there again",
    "înregistrarea {id} a fost ștearsă local, iar dispeceratul o avea din nou: a fost ștearsă din nou și acolo",
  ],
  [
    "the dispatch centre has duplicates of this record ({ids} besides {id}) and dispatchers have edited several; delete all but one there",
    "dispeceratul are această înregistrare de mai multe ori ({id}, {ids}), iar dispecerii au modificat mai multe duplicate; păstrați acolo o singură înregistrare și ștergeți-le pe celelalte",
  ],
];
