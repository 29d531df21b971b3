/** Parameters, fields and responses of the operations in Romanian, as in `ro-api.ts`. */
export const RO_API_PARTS: readonly (readonly [english: string, romanian: string])[] = [
  // Where a value is sent, and what it is
  ["query", "interogare"],
  ["path", "cale"],
  ["header", "antet"],
  ["body", "corp"],
  ["text", "text"],
  ["whole number", "număr întreg"],
  ["number", "număr"],
  ["list", "listă"],
  ["object", "obiect"],
  ["file", "fișier"],
  ["required", "obligatoriu"],
  ["default", "implicit"],
  ["for example", "de exemplu"],

  // Parameters
  ["Offset of the first record", "Poziția primei înregistrări, numărată de la 0"],
  [
    "Offset after the last record; at most 1000 records are returned",
    "Poziția de după ultima înregistrare; se returnează cel mult 1000 de înregistrări",
  ],
  [
    "1: respond with 400 if a query parameter of this request is unknown",
    "1: răspuns 400 dacă un parametru de interogare al cererii este necunoscut",
  ],
  ["Only objectives with these ids", "Numai obiectivele cu aceste numere (`id`)"],
  ["Return the list only if its ETag has changed", "Lista se returnează numai dacă `ETag` s-a modificat"],
  ["Fields to sort by, separated by commas", "Câmpurile după care se sortează, separate prin virgulă"],
  [
    "Text in name, description or notes, ignoring case and accents",
    "Text din `name`, `description` sau `notes`, indiferent de majuscule și diacritice",
  ],
  ["ASC or DESC for each field, in any case", "ASC sau DESC pentru fiecare câmp, cu majuscule sau minuscule"],
  ["ASC or DESC, in any case", "ASC sau DESC, cu majuscule sau minuscule"],
  [
    "Only records that have arrived at the dispatch centre, that wait for it, or that need attention; unknown without a dispatch centre",
    "Numai înregistrările ajunse la dispecerat, cele în așteptare sau cele care necesită atenție; parametru necunoscut fără dispecerat",
  ],
  [
    "Only the records of the site with this reference: those at the objectives of its account, and those that the account has created",
    "Numai înregistrările locației cu această referință: cele de la obiectivele contului ei și cele create de acest cont",
  ],
  [
    "A repeated request with the same key and body creates nothing: it returns the first response, after 30 days the record as it is",
    "O cerere repetată cu aceeași cheie și același corp nu creează nimic: returnează primul răspuns, iar după 30 de zile înregistrarea în starea ei actuală",
  ],
  [
    "Return the record only if its ETag has changed",
    "Înregistrarea se returnează numai dacă `ETag` s-a modificat",
  ],
  ["Only if the record still has this ETag", "Numai dacă înregistrarea are încă acest `ETag`"],
  ["Only if the record no longer has this ETag", "Numai dacă înregistrarea nu mai are acest `ETag`"],
  [
    "return=representation returns the deleted record",
    "`return=representation` returnează înregistrarea ștearsă",
  ],
  [
    "Text in name or reference, ignoring case and accents",
    "Text din nume sau referință, indiferent de majuscule și diacritice",
  ],
  ["Only sites of these levels", "Numai locațiile cu aceste stări"],
  [
    "1: only silent sites; 0: only sites that report",
    "1: numai locațiile care nu mai comunică; 0: numai locațiile care comunică",
  ],
  ["level, name or reportedAt", "`level`, `name` sau `reportedAt`"],
  [
    "1 to 100 ids of interventions, separated by commas",
    "De la 1 la 100 de numere (`id`) de intervenții, separate prin virgulă",
  ],
  [
    "Up to 100 ids of interventions, separated by commas",
    "Cel mult 100 de numere (`id`) de intervenții, separate prin virgulă",
  ],
  ["How far back, up to a month", "Numărul de ore în urmă, cel mult o lună"],
  ["Only the history of the zone with this id", "Numai istoricul zonei cu acest `id`"],
  ["How many", "Numărul de elemente"],
  [
    "Position, from the Link header of the previous page",
    "Poziția, din antetul `Link` al paginii anterioare",
  ],
  ["Only the records that need attention, all of them", "Numai înregistrările care necesită atenție, toate"],
  ["Number of tests", "Numărul de teste"],
  ["Only tests with a smaller number", "Numai testele cu un număr mai mic"],
  ["Which one, if several tests have this number", "Care dintre ele, dacă mai multe teste au acest număr"],
  ["Name of the floor", "Numele etajului"],
  ["Only if the plan still has this etag", "Numai dacă planul are încă acest `etag`"],
  [
    "Offset of the piece in bytes; 0 begins a new upload",
    "Poziția părții în fișier, în octeți; 0 începe o încărcare nouă",
  ],

  // Fields of an intervention
  [
    "Name of the intervention: 1 to 200 characters, not blank.",
    "Numele intervenției: de la 1 la 200 de caractere, nu numai spații.",
  ],
  ["Objective type: building, asset or person.", "Tipul obiectivului: clădire, bun sau persoană."],
  ["Identifier assigned by the service.", "Număr alocat de serviciu."],
  [
    "Free text of at most 4000 characters, without control characters other than tab and line ends.",
    "Text liber de cel mult 4000 de caractere, fără caractere de control în afară de tab și sfârșit de linie.",
  ],
  [
    "ISO 8601 date-time YYYY-MM-DDTHH:MM[:SS[.f]][Z|±HH:MM] with up to nine digits of a second; without an offset it is the site's local time.",
    "Data și ora ISO 8601, `YYYY-MM-DDTHH:MM[:SS[.f]][Z|±HH:MM]`, cu cel mult nouă zecimale la secunde; fără decalaj orar este ora locală a locației.",
  ],
  ["Number of crews, at least 1.", "Numărul de echipaje de intervenție, cel puțin 1."],
  ["Requests the police.", "Solicită poliția."],
  ["Requests an ambulance.", "Solicită o ambulanță."],
  ["Requests the fire brigade.", "Solicită pompierii."],
  ["Set by the service; ignored when sent.", "Valoare stabilită de serviciu; dacă este trimisă, se ignoră."],

  // Fields of a report of a site, and of its enrolment
  ["Wall clock of the site, milliseconds since 1970.", "Ceasul locației, în milisecunde de la 1970."],
  ["Seconds since the daemon started.", "Secunde de la pornirea serviciului."],
  [
    "Why the site has its level: the reasons of its headline, the most serious first.",
    "De ce are locația această stare: motivele stării generale, începând cu cele mai grave.",
  ],
  [
    "An objective as type and id, such as `obiective/cladiri/12`.",
    "Un obiectiv, cu tipul și numărul lui, de exemplu `obiective/cladiri/12`.",
  ],
  [
    "Codes of the open conditions, the most serious first.",
    "Codurile problemelor active, începând cu cele mai grave.",
  ],
  ["Faults of zones, low batteries included.", "Deranjamentele zonelor, inclusiv bateriile descărcate."],
  ["The most urgent unfinished alarm.", "Alarma nefinalizată cea mai urgentă."],
  ["Unfinished interventions that have begun.", "Intervențiile nefinalizate care au început."],
  ["Faults beyond the first 40.", "Numărul de deranjamente după primele 40."],
  ["Records queued for the dispatch centre.", "Înregistrările în așteptare pentru dispecerat."],
  ["The last comparison with the dispatch centre.", "Ultima comparație cu dispeceratul."],
  [
    "Used share of the storage's life, per cent in steps of ten; above 100 beyond its life.",
    "Uzura cardului sau a discului, în procente, din zece în zece; peste 100 după depășirea duratei de viață.",
  ],
  ["The objectives it may use.", "Obiectivele la care are acces."],
  [
    "How long the one-time code can be used, in hours.",
    "Cât timp poate fi folosit codul de unică folosință, în ore.",
  ],
  [
    "Whether another device may take over the account of a site that is enrolled; without it, a code for such a site gets 409.",
    "Dacă alt dispozitiv poate prelua contul unei locații înrolate; fără acest câmp, un cod pentru o astfel de locație primește 409.",
  ],
  [
    "`site.ref`. Without it the site takes the reference of the code, which is in the response.",
    "`site.ref`. Fără acest câmp, locația preia referința din cod, care apare în răspuns.",
  ],
  [
    "The password that the site has generated for its account.",
    "Parola pe care locația a generat-o pentru contul ei.",
  ],

  // Fields of other bodies
  ["Default and limit depend on the operation", "Valoarea implicită și limita depind de operație"],
  [
    "Instead of minutes: until the next time at which the clock of the site shows this full hour",
    "În loc de `minutes`: până când ceasul locației arată următoarea dată această oră fixă",
  ],
  ["Applied in order", "Se aplică în ordine"],
  ["As in the configuration", "Ca în configurație"],

  // Successful responses
  ["Done", "Operație efectuată"],
  ["Deleted", "Înregistrare ștearsă"],
  ["Deleted; the previous record", "Înregistrare ștearsă; conținutul ei anterior"],
  ["Revoked", "Acces revocat"],
  ["Removed", "Locație eliminată"],
  ["Added", "Cont adăugat"],
  ["The token and its lifetime in seconds", "Tokenul și durata lui de valabilitate, în secunde"],
  ["The requested slice", "Partea cerută din listă"],
  ["The list still has the ETag of If-None-Match", "Lista are încă valoarea `ETag` din `If-None-Match`"],
  [
    "The record still has the ETag of If-None-Match",
    "Înregistrarea are încă valoarea `ETag` din `If-None-Match`",
  ],
  ["The objective", "Obiectivul"],
  ["The intervention", "Intervenția"],
  ["The created intervention", "Intervenția creată"],
  ["The updated intervention", "Intervenția modificată"],
  [
    "Accepted; the connection is kept for the next report",
    "Raport acceptat; conexiunea se păstrează pentru raportul următor",
  ],
  ["The code, which is shown once", "Codul, care se afișează o singură dată"],
  ["The account; its password is the one in the request", "Contul; parola lui este cea din cerere"],
  ["The numbers", "Numărul de locații"],
  ["Of those that a site has created, by id", "Pentru cele create de o locație, după `id`"],
  ["The site", "Locația"],
  ["The plans with the new one", "Planurile, împreună cu cel nou"],
  ["What it would change", "Ce s-ar modifica"],
  [
    "The daemon restores the backup and starts again",
    "Serviciul restaurează copia de siguranță și repornește",
  ],
  ["It restarts", "Serviciul repornește"],

  // Errors
  ["Missing fields or invalid format", "Câmpuri lipsă sau format incorect"],
  [
    "Token missing, invalid or expired; wrong credentials",
    "Token lipsă, incorect sau expirat; date de autentificare incorecte",
  ],
  ["Operator or administrator rights are needed", "Sunt necesare drepturi de operator sau de administrator"],
  [
    "The intervention, objective, site, zone or account does not exist",
    "Intervenția, obiectivul, locația, zona sau contul nu există",
  ],
  ["Not possible in the current state", "Operație imposibilă în starea actuală"],
  ["The record has changed since it was read", "Înregistrarea s-a modificat de când a fost citită"],
  ["The body is larger than 100 kB", "Corpul cererii are peste 100 kB"],
  ["The body is not JSON in UTF-8", "Corpul cererii nu este JSON în UTF-8"],
  [
    "For ten minutes, and until the daemon restarts, a repeated request with the same key and body does nothing: it returns the first response",
    "Timp de zece minute, dacă serviciul nu este repornit, o cerere repetată cu aceeași cheie și același corp nu execută nimic: se returnează primul răspuns",
  ],
  [
    "The Idempotency-Key was used with another body, or the configuration has errors",
    "Cheia `Idempotency-Key` a fost folosită cu alt corp al cererii sau configurația conține erori",
  ],
  [
    "Too many failed attempts, slow lists of one account at once, or writes of one site; retry after Retry-After",
    "Prea multe încercări eșuate, liste lente cerute simultan de un cont sau scrieri ale unei locații; reîncercați după `Retry-After`",
  ],
  ["Internal error; try again", "Eroare internă; reîncercați"],
  [
    "Temporarily unavailable, for example with a full disk; retry after Retry-After",
    "Indisponibil temporar, de exemplu din cauza discului plin; reîncercați după `Retry-After`",
  ],
];
