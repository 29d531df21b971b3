/** What a dispatch centre refuses, and why, in Romanian; see ro-daemon.ts. */
export const RO_CENTRE_ERROR_MESSAGES: readonly (readonly [english: string, romanian: string])[] = [
  ["{n} one-time codes are unused", "{n} de coduri de unică folosință nu au fost folosite"],
  [
    "An address begins with https:// or http://, such as https://dispecerat.example.ro/api",
    "O adresă începe cu https:// sau http://, de exemplu https://dispecerat.example.ro/api",
  ],
  [
    "site {site} is enrolled: the device that uses another code takes over its account, and the present one can no longer sign in",
    "locația {site} este înrolată: dispozitivul care folosește alt cod îi preia contul, iar cel actual nu se mai poate autentifica",
  ],
  [
    'Confirm it with --transfer, over HTTP with "transfer": true; another site needs its own site.ref',
    'Confirmați cu --transfer sau, prin HTTP, cu "transfer": true; altă locație are nevoie de un site.ref propriu',
  ],
  [
    "site {site} would get the account {email}, which is that of site {other}",
    "locația {site} ar primi contul {email}, care este al locației {other}",
  ],
  [
    "site {site} would get the account {email}, which is that of a user",
    "locația {site} ar primi contul {email}, care este al unui utilizator",
  ],
  [
    "Choose another site.ref: upper and lower case do not distinguish sites",
    "Alegeți alt site.ref: nu se face diferența între majuscule și minuscule",
  ],
  ["Choose another site.ref", "Alegeți alt site.ref"],
  ["Use them, or wait until they expire", "Folosiți-le sau așteptați să expire"],
  [
    "the one-time code is for site {site} and not for {other}",
    "codul de unică folosință este pentru locația {site}, nu pentru {other}",
  ],
  [
    "the one-time code is unknown here, used or expired",
    "codul de unică folosință este necunoscut, folosit sau expirat",
  ],
  [
    "site {id} has neither an account nor a one-time code",
    "locația {id} nu are nici cont, nici cod de unică folosință",
  ],
  [
    "santinela sites access lists those that have",
    "santinela sites access afișează locațiile care au cont sau cod",
  ],
  ["the access of site {site} was revoked", "accesul locației {site} a fost revocat"],
  [
    "{email} is the account of site {site}, which is always operator",
    "{email} este contul locației {site}, al cărui rol este întotdeauna operator",
  ],
  [
    "To end its access, use santinela sites revoke; for a person, add an account",
    "Pentru a-i opri accesul, folosiți santinela sites revoke; pentru o persoană, adăugați un cont",
  ],
  [
    "{email} is the account of site {site}, which needs objectives of its own",
    "{email} este contul locației {site}, care are nevoie de obiective proprii",
  ],
  [
    "{email} is the account of site {site}, which has no initial password",
    "{email} este contul locației {site}, care nu are parolă inițială",
  ],
  ["Name them with --only", "Indicați-le cu --only"],
  ["Create a new one-time code for the site instead", "Creați un cod nou de unică folosință pentru locație"],
  [
    "site {id} is being changed by others; try again",
    "locația {id} este modificată de alte cereri; reîncercați",
  ],
  ["site {site} writes too often; try again later", "locația {site} scrie prea des; reîncercați mai târziu"],
  [
    "this account reports for site {site} and not for {other}",
    "acest cont raportează pentru locația {site}, nu pentru {other}",
  ],
  ["Set site.ref to the reference of the enrolment", "Setați site.ref la referința folosită la înrolare"],
  [
    "site {id} is enrolled, and this account is not its own",
    "locația {id} este înrolată, iar acest cont nu este al ei",
  ],
  ["Report with the account of the site", "Folosiți contul locației"],
  ["another account reports for site {id}", "alt cont transmite rapoartele locației {id}"],
  [
    "Report with that account. An administrator moves the site by an enrolment, or by removing it here",
    "Folosiți acel cont. Un administrator poate muta locația printr-o nouă înrolare sau o poate elimina de aici",
  ],
  ["this dispatch centre has {n} sites already", "acest dispecerat are deja {n} de locații"],
  ["Remove sites that no longer exist", "Eliminați locațiile care nu mai există"],
  ["the account of a site sees its own site only", "contul unei locații are acces numai la locația sa"],
  [
    "the data of this site was created on this machine; nothing to confirm",
    "datele acestei locații au fost create pe acest dispozitiv; nu este nimic de confirmat",
  ],
];
