import { RO_CENTRE_ERROR_MESSAGES } from "./ro-centre-error-messages.ts";
import { RO_LISTS } from "./ro-lists.ts";

/** What the local API refuses, and why, in Romanian; see ro-daemon.ts. */
export const RO_ERROR_MESSAGES: readonly (readonly [english: string, romanian: string])[] = [
  // Requests
  ["malformed URL", "adresă incorectă"],
  [
    "unknown query parameter {names}; check its spelling",
    "parametru necunoscut al adresei: {names}; verificați cum este scris",
  ],
  [
    "intervention {id} exists with this entity tag",
    "intervenția {id} există deja cu această etichetă (ETag)",
  ],
  ["another request was faster; try again", "altă cerere a fost prelucrată între timp; reîncercați"],
  [
    "authentication required: send Authorization: Bearer <token> from POST /auth/token",
    "este necesară autentificarea",
  ],
  ["the token is missing, invalid or expired", "nu există o sesiune validă sau sesiunea a expirat"],
  ["the token of metrics.tokenFile is required", "este necesar tokenul din metrics.tokenFile"],
  ["the body is not valid UTF-8", "cererea nu este text UTF-8 valid"],
  ["a JSON body is required", "cererea trebuie să conțină JSON"],
  ["the body is not valid JSON", "cererea nu este JSON valid"],
  [
    "the connection closed before the body was complete",
    "conexiunea s-a închis înainte de sfârșitul cererii",
  ],
  [
    "the body's encoding or character set is not supported; send UTF-8 JSON",
    "codificarea cererii nu este acceptată; trimiteți JSON în UTF-8",
  ],
  [
    "the body must be JSON in UTF-8: send Content-Type: application/json",
    "cererea trebuie să fie JSON în UTF-8, cu Content-Type: application/json",
  ],
  ["the body is larger than {size}", "cererea depășește {size}"],
  ["send a JSON object", "cererea trebuie să fie un obiect JSON"],
  [
    "send the bytes as they are, without Content-Encoding",
    "fișierul se trimite așa cum este, fără Content-Encoding",
  ],
  [
    "send bytes, with Content-Type: application/octet-stream",
    "fișierul se trimite cu Content-Type: application/octet-stream",
  ],
  [
    "unknown host name {name}; add it to http.hosts to allow it",
    "numele {name} nu este în http.hosts; adăugați-l",
  ],
  [
    "{method} is not allowed; allowed: {methods}",
    "metoda {method} nu este permisă; metode permise: {methods}",
  ],
  [
    "Idempotency-Key was already used with a different body",
    "Idempotency-Key a fost folosit deja cu alt conținut",
  ],
  [
    "Idempotency-Key must be a quoted string of 1 to {n} visible characters",
    "Idempotency-Key: text între ghilimele, de la 1 la {n} de caractere vizibile",
  ],
  [
    "too many wrong attempts; try again in {n} seconds",
    "prea multe încercări greșite; reîncercați peste {n} s",
  ],
  [
    "too many sign-ins at once; try again in a second",
    "prea multe autentificări simultane; reîncercați peste o secundă",
  ],
  [
    "too many open event streams; close one or try again later",
    "prea multe file de browser deschise; închideți una sau reîncercați mai târziu",
  ],
  // Before the next one, whose {fields} would fit it too.
  ["send each pin as {fields}", "fiecare zonă de pe plan trebuie să aibă: {fields}"],
  ["send {fields}", "câmpuri necesare: {fields}"],
  ["changes[{n}] must be {forms}", "modificarea {n}: se așteaptă {forms}"],
  ["a number of bytes", "un număr de octeți"],

  // Lists
  ["{field} may be given once", "{field} poate apărea o singură dată"],
  [
    "{field} must be compared with a date and time such as 2026-11-20T23:30:00",
    "{field} se compară cu o dată și o oră, de exemplu 2026-11-20T23:30:00",
  ],
  [
    "{field} is given {n} times; at most {max} are allowed",
    "{field} apare de prea multe ori ({n}; limita: {max})",
  ],
  ["one offset, 0 or larger", "o singură poziție, 0 sau mai mare"],
  ["site {ref} has no account here", "locația {ref} nu are cont aici"],
  [
    "Check its reference; santinela sites access lists the sites that have an account",
    "Verificați referința; santinela sites access afișează locațiile care au cont",
  ],
  ["records must be attention", "records: se acceptă numai attention"],
  [
    "ids must be 1 to {n} ids of interventions, separated by commas",
    "ids: de la 1 la {n} de numere de intervenții, separate prin virgulă",
  ],
  [
    "after must be the value of the Link header of the previous page",
    "after: se folosește valoarea din antetul Link al paginii anterioare",
  ],

  // Records
  ["dateEnd ({end}) is before dateStart ({start})", "sfârșitul ({end}) este înainte de început ({start})"],
  [
    "{field} must be a real date and time such as 2026-11-20T23:30:00, with Z or an offset if it is not local",
    "{field}: dată și oră valide, de exemplu 2026-11-20T23:30:00, cu Z sau cu decalajul față de UTC dacă nu este ora locală",
  ],
  [
    "objectiveType cannot change without objectiveId",
    "tipul obiectivului se modifică numai împreună cu obiectivul",
  ],
  ["objective {id} does not exist here", "obiectivul {id} nu există aici"],
  ["objective {id} has an id out of range", "numărul obiectivului {id} este în afara limitelor"],
  ["the record could not be created; try again", "înregistrarea nu a putut fi creată; reîncercați"],
  ["{field} must not contain the character U+0000", "{field} conține caracterul U+0000, care nu este permis"],
  ["Free space on the disk, then repeat the request", "Eliberați spațiu pe disc, apoi reîncercați"],
  [
    "Delete the intervention; this also deletes it at the dispatch centre",
    "Ștergeți intervenția; se șterge și la dispecerat",
  ],
  [
    "record {id} of the dispatch centre cannot be read now: {reason}",
    "înregistrarea {id} de la dispecerat nu poate fi citită acum: {reason}",
  ],
  ["Try again when the link is up", "Reîncercați când conexiunea este activă"],
  [
    "record {id} of the dispatch centre is linked without a reference: its objective, name and start are those of this intervention",
    "înregistrarea {id} de la dispecerat a fost asociată fără referință: obiectivul, numele și ora de început sunt cele ale intervenției",
  ],
  ["this backup is of another site: {site}", "această copie este a altei locații: {site}"],
  ["the database is not available; try again", "baza de date este indisponibilă; reîncercați"],
  [
    "a part of the daemon is restarting; try again shortly",
    "o parte a serviciului repornește; reîncercați peste câteva secunde",
  ],
  [
    "changes that the disk rejected are not stored yet",
    "unele modificări nu au putut fi scrise pe disc și încă nu sunt salvate",
  ],
  ["the daemon is {state}", "serviciul {state}"],
  ["starting", "pornește"],
  [
    "{problem}; the daemon keeps its previous configuration",
    "{problem}; rămâne activă configurația anterioară",
  ],

  // Zones and tests
  ["a walk test is running already", "un test de mers (walk test) este deja activ"],
  ["no walk test is running", "niciun test de mers (walk test) nu este activ"],
  ["a walk test lasts at most {n} minutes", "un test de mers (walk test) durează cel mult {n} de minute"],
  ["no result of walk test {id} is stored", "rezultatul testului de mers (walk test) {id} nu este salvat"],
  ["walk test {id} does not exist", "testul de mers (walk test) {id} nu există"],
  ["before must be the number of a walk test", "before: se așteaptă numărul unui test de mers (walk test)"],
  [
    "a walk test tests the sensors: open the zone itself",
    "un test de mers (walk test) verifică senzorii: acționați senzorul zonei",
  ],
  ["reason must have 1 to 200 characters", "motivul trebuie să aibă între 1 și 200 de caractere"],
  ["no zones are configured", "nu este configurată nicio zonă"],
  ["Known: {names}", "Există: {names}"],
  ["ids must be all zones, each once", "lista trebuie să conțină fiecare zonă o singură dată"],
  ["zone must be the id of a zone", "zone: se așteaptă numele scurt al unei zone"],
  ["unknown field {name}", "câmp necunoscut: {name}"],
  ["{field} must be true or false", "{field}: se așteaptă true sau false"],
  ["minutes must be a number", "minutele trebuie să fie un număr"],
  ["untilHour must be a whole number from 0 to 23", "untilHour: un număr întreg între 0 și 23"],
  ["send either minutes or untilHour", "trimiteți fie minutes, fie untilHour"],
  ["hours must be from 1 to {n}", "orele: de la 1 la {n}"],
  ["unknown signal test", "testul de comunicație nu există"],
  [
    "a dispatch centre has no zones, no trips and no upstream",
    "un dispecerat nu are zone sau declanșări și nu transmite la alt dispecerat",
  ],
  [
    "input must be {mqtt} or {gpio} or {adc}, as in the configuration",
    "intrarea trebuie să fie {mqtt}, {gpio} sau {adc}, ca în configurație",
  ],

  // Floor plans
  ["there are {n} floor plans; remove one first", "există deja {n} planuri; ștergeți întâi unul"],
  ["floor plan {id} does not exist", "planul {id} nu există"],
  ["this floor plan does not exist", "acest plan nu există"],
  [
    "floor plan {id} has changed since it was read; read it again",
    "planul {id} s-a modificat între timp; redeschideți-l",
  ],
  [
    "send a PNG or JPEG picture as bytes, with Content-Type: application/octet-stream",
    "se acceptă o imagine PNG sau JPEG, cu Content-Type: application/octet-stream",
  ],
  ["name must be one line of 1 to {n} characters", "numele: un singur rând, de la 1 la {n} de caractere"],
  ["pins must be a list of at most {n} entries", "zonele de pe plan: o listă de cel mult {n} de zone"],
  ["a zone has at most one pin on a plan", "o zonă apare o singură dată pe un plan"],

  // Set-up, accounts and configuration
  ["invalid one-time code", "codul de unică folosință este greșit"],
  ["Sign in", "Autentificați-vă"],
  ["the answer to {question} must be a text", "răspunsul la {question} trebuie să fie un text"],
  [
    "the control socket has no password; use santinela user passwd",
    "socketul de control nu are parolă; folosiți santinela user passwd",
  ],
  [
    "the control socket has no password and needs no confirmation",
    "socketul de control nu are parolă și nu cere confirmare",
  ],
  ["Allow all objectives for this account instead", "Permiteți acestui cont accesul la toate obiectivele"],
  ["ca must be a PEM text", "certificatul autorității trebuie să fie un text PEM"],
  [
    "{option} must be a text, from GET /site/configuration/zones",
    "{option}: se așteaptă textul din GET /site/configuration/zones",
  ],
  [
    "changes must be a list of 1 to {n}: {kinds}",
    "modificările: o listă cu cel puțin una și cel mult {n} ({kinds})",
  ],
  ["Create one with santinela init, then restart", "Creați unul cu santinela init, apoi reporniți serviciul"],
  ["cannot read {file}: {reason}", "{file} nu poate fi citit: {reason}"],
  ["cannot write {file}: {reason}", "nu se poate scrie în {file}: {reason}"],
  [
    "this installation has no certificate authority of its own",
    "această instalație nu are autoritate de certificare proprie",
  ],

  ...RO_CENTRE_ERROR_MESSAGES,
  ...RO_LISTS,
];
