/**
 * What the daemon says in English, and the same in Romanian: refusals, errors of the configuration, reasons. A text in
 * braces stands for what the daemon puts there; it is translated in turn if it is here too. Fragments begin in lower case
 * and have no full stop, as in English; the panel makes sentences of them.
 */
export const RO_DAEMON: readonly (readonly [english: string, romanian: string])[] = [
  // Fields of a request
  ["the body must be a JSON object", "cererea trebuie să fie un obiect JSON"],
  ["the body is larger than {size}", "cererea depășește {size}"],
  ["{field} is required", "{field}: valoare obligatorie"],
  ["{field} is not a field of this resource", "{field}: câmp necunoscut"],
  ["{field} must be one of {values}", "{field}: valori permise: {values}"],
  ["{field} must be {problem}", "{field}: se așteaptă {problem}"],
  ["{problem} or null", "{problem}"],
  ["a whole number", "un număr întreg"],
  ["a number", "un număr"],
  ["true or false", "true sau false"],
  ["an object", "un obiect"],
  ["{field} must not be empty", "{field}: valoare obligatorie"],
  ["{field} may have at most {n} characters", "{field}: cel mult {n} caractere"],
  [
    "{field} must not be blank or contain control characters or invalid characters",
    "{field}: text gol sau cu caractere nepermise",
  ],
  ["{field} must be at least {n}", "{field}: cel puțin {n}"],
  ["{field} must be at most {n}", "{field}: cel mult {n}"],
  [
    "{field} must be a whole number from {from} to {to}",
    "{field}: se așteaptă un număr întreg de la {from} la {to}",
  ],
  ["objective {id} does not exist in {type}", "obiectivul {id} nu există în {type}"],
  ["intervention {id} does not exist", "intervenția {id} nu există"],
  [
    "intervention {id} is changed by too many clients; try again",
    "intervenția {id} se modifică în alt loc; reîncercați",
  ],
  [
    "intervention {id} has changed since it was read; read it again",
    "intervenția {id} s-a modificat între timp; redeschideți-o",
  ],
  ["no route for {method} {path}", "adresa {path} nu există"],
  ["site {id} does not exist", "locația {id} nu există"],

  // Accounts and passwords
  ["account {email} already exists", "contul {email} există deja"],
  ["account {email} does not exist", "contul {email} nu există"],
  ["{email} is the last administrator", "{email} este ultimul administrator"],
  ["Make another account administrator first", "Acordați întâi altui cont rolul de administrator"],
  ["{email} is not an e-mail address", "{email} nu este o adresă de e-mail"],
  ["{email} is reserved for the daemon", "{email} este rezervată serviciului"],
  [
    "{email} is reserved for the initial administrator; choose another address",
    "{email} este rezervată administratorului inițial; alegeți altă adresă",
  ],
  ["this installation has already been set up", "această instalație este deja configurată"],
  ["a password must not contain control characters", "parola conține caractere de control"],
  ["a password needs at least {n} characters", "parola trebuie să aibă cel puțin {n} caractere"],
  [
    "a password needs at least {n} different characters",
    "parola trebuie să aibă cel puțin {n} caractere diferite",
  ],
  [
    "a password may have at most {n} bytes; letters such as ș count as two",
    "parola poate avea cel mult {n} de octeți; literele ca ș ocupă doi",
  ],
  ["this password is too common", "parola este prea uzuală"],
  [
    "Choose another one, such as three or four unrelated words",
    "Alegeți alta, de exemplu trei sau patru cuvinte fără legătură între ele",
  ],
  ["the password was changed in the meantime", "parola s-a schimbat între timp"],
  ["the password is incorrect", "parola este greșită"],
  ["currentPassword is incorrect", "parola actuală este greșită"],
  ["the new password must differ from the current one", "parola nouă trebuie să difere de cea actuală"],
  ["enter your password again: POST /site/configuration/confirmation", "introduceți din nou parola"],
  ["email or password is wrong", "adresa de e-mail sau parola este greșită"],

  // Backup and restore
  [
    "a backup is already being downloaded; try again later",
    "o copie de siguranță se descarcă deja; reîncercați mai târziu",
  ],
  [
    "the disk of the data directory has too little space for a backup",
    "spațiul pe disc nu ajunge pentru o copie de siguranță",
  ],
  [
    "the disk of the data directory has too little space for this backup",
    "spațiul pe disc nu ajunge pentru această copie",
  ],
  ["a backup may have at most {n} bytes", "o copie de siguranță poate avea cel mult {n} de octeți"],
  [
    "the previous upload is still being checked; try again shortly",
    "copia încărcată anterior se verifică încă; reîncercați imediat",
  ],
  [
    "a piece was uploaded during the check; try again",
    "fișierul s-a modificat în timpul verificării; reîncercați",
  ],
  ["the upload has expired; upload the backup again", "încărcarea a expirat; încărcați din nou copia"],
  ["the next piece must start at byte {n}, not {from}", "încărcarea a fost întreruptă"],
  ["Upload the backup again", "Încărcați din nou copia"],
  ["{file} cannot be restored: {problem}", "{file} nu poate fi restaurat: {problem}"],
  ["the file is empty", "fișierul este gol"],
  ["the file is missing", "fișierul lipsește"],
  // SQLite's words
  ["file is not a database", "fișierul nu este o bază de date"],
  ["there is no such file", "fișierul nu există"],
  [
    "The scheduled backups are in the directory backups of the data directory",
    "Copiile automate sunt în directorul backups, lângă baza de date",
  ],
  [
    "{path} is not the expected database (application_id {id})",
    "{path} nu este o copie de siguranță Santinela",
  ],
  ["the database is damaged: {problem}", "baza de date este deteriorată: {problem}"],

  // Configuration of zones
  ["the configuration file has changed in the meantime", "fișierul de configurare s-a modificat între timp"],
  ["Read it again and repeat the change", "Recitiți-l și repetați modificarea"],
  ["another change is being applied", "se aplică deja o altă modificare"],
  ["this installation has no configuration file", "această instalație nu are fișier de configurare"],
  [
    "http.configuration is file-only: zones are changed in the configuration file",
    "http.configuration este file-only: zonele se modifică în fișierul de configurare",
  ],
  [
    "Set http.configuration: panel in the file and restart to allow it here",
    "Pentru modificare de aici, setați http.configuration: panel în fișier și reporniți",
  ],
  [
    "the configuration file cannot be changed here: {reason}",
    "fișierul de configurare nu poate fi modificat de aici: {reason}",
  ],
  [
    "Edit the file on the device, then run santinela reload",
    "Modificați fișierul pe dispozitiv, apoi rulați santinela reload",
  ],
  ["unknown zone {id} in the configuration file", "zona {id} nu există în fișierul de configurare"],
  ["the new configuration was not applied: {reason}", "configurația nouă nu a fost aplicată: {reason}"],
  ["trips are no longer processed", "declanșările nu se mai prelucrează"],
  ["it was not applied", "nu a fost aplicată"],
  ["duplicate zone {id}", "zona {id} există deja"],
  ["line {n} is already used by another zone", "linia {n} este deja folosită de altă zonă"],
  [
    "line {n} is the input of a zone; a gate needs a separate line",
    "linia {n} este intrarea unei zone; armarea are nevoie de altă linie",
  ],
  ["unknown profile {name}. Known: {names}", "profilul {name} nu există; profile: {names}"],
  ["invalid schedule. Use a form such as {example}", "program greșit; exemplu: {example}"],
  [
    "EN 50131 requires signals of {n} ms to be processed. Use at most that, or allowSlow: true to allow a slower zone",
    "EN 50131 cere prelucrarea semnalelor de {n} ms; folosiți cel mult atât sau allowSlow: true pentru o zonă mai lentă",
  ],
  ["{option} is missing", "{option} lipsește"],
  ["unknown option. {remedy}", "opțiune necunoscută; {remedy}"],
  ["mqtt is missing: the input of the zone is not MQTT", "mqtt lipsește: intrarea zonei nu este MQTT"],
  [
    "needs low (values that mean low) or below (percentage)",
    "are nevoie de low (valori) sau below (procent)",
  ],
  [
    "overlaps with the filter {filter} of another zone or value. Make both equal or narrower",
    "se suprapune cu filtrul {filter} al altei zone; folosiți filtre egale sau mai restrânse",
  ],
  [
    "another zone already opens at the same value of this topic and path. Add where with conditions that exclude the other zone's messages",
    "altă zonă se deschide deja la aceeași valoare a acestui topic; adăugați where cu condiții care exclud mesajele celeilalte zone",
  ],
  [
    "{values} compare equal: case is ignored, on, true and 1 are equal, and off, false and 0 are equal. Use different values",
    "{values} sunt egale: nu contează majusculele, on, true și 1 sunt egale, la fel off, false și 0; folosiți valori diferite",
  ],
  [
    "zone {id}: objective {objective} of {type} is not in objectives; import it, otherwise a placeholder name is used",
    "zona {id}: obiectivul {objective} din {type} nu este în listă; importați-l, altfel se folosește un nume provizoriu",
  ],
  [
    "no GPIO chip with the label {label} (found: {found})",
    "niciun chip GPIO cu eticheta {label} (găsite: {found})",
  ],

  // Records and the dispatch centre
  ["standalone mode: no dispatch centre configured", "nu este configurat niciun dispecerat"],
  [
    "intervention {id} is {phase}; the dispatch centre has it or may have it",
    "intervenția {id} este sau poate fi deja la dispecerat",
  ],
  [
    "intervention {id} has no record at the dispatch centre to correct",
    "intervenția {id} nu are o înregistrare la dispecerat",
  ],
  ["there is no intervention {id}", "intervenția {id} nu există"],
  ["sign-in: {reason}", "autentificare: {reason}"],
  ["answered {status}: {text}", "răspuns {status}: {text}"],
  ["answered {status}", "răspuns {status}"],
  ["connect {code} {address}", "{code} {address}"],
  ["the dispatch centre {url} cannot be reached: {reason}", "dispeceratul {url} este indisponibil: {reason}"],
  ["no response within {n} s", "niciun răspuns în {n} s"],
  ["the database is busy; try again", "baza de date este ocupată; reîncercați"],
  ["the disk of this device is full", "discul dispozitivului este plin"],
  ["the disk of this device is not writable", "discul dispozitivului nu poate fi scris"],
  [
    "Nothing was stored. Free space on the disk or check it, then repeat the request",
    "Nu s-a salvat nimic. Eliberați spațiu pe disc sau verificați-l, apoi reîncercați",
  ],
  ["the daemon is restarting; try again shortly", "serviciul repornește; reîncercați imediat"],
  ["the daemon is stopping", "serviciul se oprește"],
  ["the local API is starting", "serviciul pornește"],

  // Why a trip was not dispatched
  ["walk test by {who}", "test de mers (walk test), {who}"],
  ["walk test", "test de mers (walk test)"],
  ["the gate is closed ({by})", "zonă nearmată ({by})"],
  ["exit delay ({by})", "timp de ieșire ({by})"],
  [
    "swinger shutdown after {trips} trips in {n} incidents",
    "blocare automată (swinger) după {trips} declanșări în {n} incidente",
  ],
  [
    "swinger shutdown after {trips} trips in {n} incident",
    "blocare automată (swinger) după {trips} declanșări într-un incident",
  ],
  ["the zone is no longer in the configuration", "zona nu mai este în configurație"],
  ["its fault has no intervention", "deranjamentul nu are intervenție"],

  // Discovery and the broker
  ["the broker closed the connection", "brokerul a închis conexiunea"],
  ["the broker allows this account to read nothing", "brokerul nu permite acestui cont să citească nimic"],
  ["the MQTT broker cannot be reached: {reason}", "brokerul MQTT este indisponibil: {reason}"],

  // The place of an error, before the error
  ["{place}: {problem}", "{place}: {problem}"],
];
