import { RO_ALARM_PANELS } from "./ro-alarm-panels.ts";
import { RO_BROKER } from "./ro-broker.ts";
import { RO_CONFIGURATION } from "./ro-configuration.ts";
import { RO_CONFLICTS } from "./ro-conflicts.ts";
import { RO_DEVICES } from "./ro-devices.ts";
import { RO_DISPOSITIONS } from "./ro-dispositions.ts";
import { RO_ERROR_MESSAGES } from "./ro-error-messages.ts";
import { RO_RECOVERY } from "./ro-recovery.ts";
import { RO_SCHEMA } from "./ro-schema.ts";

/**
 * What the daemon says in English, and the same in Romanian: refusals, errors of the configuration, reasons. A text in
 * braces stands for what the daemon puts there; it is translated in turn if it is here too. Fragments begin in lower case
 * and have no full stop, as in English; the panel makes sentences of them.
 */
export const RO_DAEMON: readonly (readonly [english: string, romanian: string])[] = [
  ["first start", "prima pornire"],
  ["the daemon did not run", "serviciul nu a funcționat"],
  ...RO_SCHEMA,
  // Fields of a request
  ["the body must be a JSON object", "cererea trebuie să fie un obiect JSON"],
  ["the body is larger than {size}", "cererea depășește {size}"],
  ["the body nests deeper than {n} levels", "cererea are peste {n} de niveluri imbricate"],
  ["the body does not match its schema", "cererea nu are forma așteptată"],
  ["{field} is required", "{field}: valoare obligatorie"],
  ["{field} is not a field of this resource", "{field}: câmp necunoscut"],
  ["{field} must be one of {values}", "{field}: se acceptă numai {values}"],
  ["{field} must be {problem}", "{field}: se așteaptă {problem}"],
  ["{problem} or null", "{problem} sau null"],
  ["a whole number", "un număr întreg"],
  ["a number", "un număr"],
  ["true or false", "true sau false"],
  ["an object", "un obiect"],
  ["{field} must not be empty", "{field}: valoare obligatorie"],
  ["{field} must have at least {n} characters", "{field}: număr minim de caractere: {n}"],
  ["{field} may have at most {n} characters", "{field}: număr maxim de caractere: {n}"],
  [
    "{field} must not be blank or contain control characters or invalid characters",
    "{field}: text gol sau cu caractere nepermise",
  ],
  ["{field} must be at least {n}", "{field}: cel puțin {n}"],
  ["{field} must be at most {n}", "{field}: cel mult {n}"],
  ["{field} must be a whole number from {from} to {to}", "{field}: un număr întreg de la {from} la {to}"],
  ["objective {id} does not exist in {type}", "obiectivul {id} nu există în lista „{type}”"],
  ["intervention {id} does not exist", "intervenția {id} nu există"],
  [
    "intervention {id} is changed by too many clients; try again",
    "intervenția {id} este modificată de prea mulți utilizatori simultan; reîncercați",
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
  [
    "{n} objectives exceed the limit of {max} per account",
    "prea multe obiective pentru un cont: {n}; limita: {max}",
  ],
  ["{email} is the last administrator", "{email} este ultimul administrator"],
  ["Make another account administrator first", "Acordați întâi altui cont rolul de administrator"],
  ["{email} is not an e-mail address", "{email} nu este o adresă de e-mail"],
  ["{email} is reserved for the daemon", "adresa {email} este rezervată serviciului"],
  [
    "{email} is reserved for the initial administrator; choose another address",
    "adresa {email} este rezervată administratorului inițial; alegeți alta",
  ],
  ["{email} gets no initial password here", "contul {email} nu primește aici o parolă inițială"],
  ["Set its password with santinela user passwd", "Setați-i parola cu santinela user passwd"],
  ["this installation has already been set up", "această instalație a fost deja pusă în funcțiune"],
  ["a password must not contain control characters", "parola conține caractere de control"],
  // Before the next one, whose {n} would fit it too.
  [
    "a password needs at least {n} different characters",
    "parola trebuie să aibă cel puțin {n} caractere diferite",
  ],
  ["a password needs at least {n} characters", "parola trebuie să aibă cel puțin {n} caractere"],
  [
    "the password of a site's account needs at least {n} characters",
    "parola contului unei locații trebuie să aibă cel puțin {n} de caractere",
  ],
  [
    "Generate one, or enrol the site again: santinela sites invite",
    "Generați una sau înrolați din nou locația: santinela sites invite",
  ],
  [
    "a password may have at most {n} bytes; letters such as ș count as two",
    "parola poate avea cel mult {n} de octeți; literele precum ș ocupă câte doi",
  ],
  ["this password is too common", "parola este prea comună"],
  [
    "Choose another one, such as three or four unrelated words",
    "Alegeți alta, de exemplu trei sau patru cuvinte fără legătură între ele",
  ],
  ["the password was changed in the meantime", "parola s-a schimbat între timp"],
  ["the password is incorrect", "parola este greșită"],
  ["your current password is incorrect", "parola actuală este greșită"],
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
    "nu este suficient spațiu pe disc pentru o copie de siguranță",
  ],
  [
    "the disk of the data directory has too little space for this backup",
    "nu este suficient spațiu pe disc pentru această copie",
  ],
  ["the work on the backup has failed: {reason}", "operația cu copia de siguranță a eșuat: {reason}"],
  [
    "Try again. If it fails again, send a support bundle to the developers",
    "Reîncercați. Dacă eșuează din nou, trimiteți dezvoltatorilor un pachet pentru suport",
  ],
  [
    "its thread or process ended with code {code}",
    "firul de execuție sau procesul s-a oprit cu codul {code}",
  ],
  ["a list did not end at its time-out", "citirea unei liste nu s-a încheiat în timpul permis"],
  ["a backup may have at most {n} bytes", "o copie de siguranță poate avea cel mult {n} de octeți"],
  [
    "the previous upload is still being checked; try again shortly",
    "copia încărcată anterior încă se verifică; reîncercați peste câteva secunde",
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
  ["was made by a newer release ({versions})", "provine dintr-o versiune mai nouă ({versions})"],
  // SQLite's words
  ["database disk image is malformed", "fișierul bazei de date este deteriorat"],
  ["file is not a database", "fișierul nu este o bază de date"],
  ["there is no such file", "fișierul nu există"],
  [
    "The scheduled backups are in the directory backups of the data directory",
    "Copiile automate sunt în directorul backups din directorul de date",
  ],
  [
    "{path} is not the expected database (application_id {id})",
    "{path} nu este o copie de siguranță Santinela",
  ],
  ["the database is damaged: {problem}", "baza de date este deteriorată: {problem}"],

  ...RO_ERROR_MESSAGES,
  ...RO_CONFLICTS,
  ...RO_DEVICES,
  ...RO_ALARM_PANELS,
  ...RO_BROKER,
  ...RO_CONFIGURATION,
  ...RO_RECOVERY,

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
  ["cannot be read: {reason}", "nu poate fi citită: {reason}"],
  ["was rejected as implausible: {reason}", "a fost respinsă ca neplauzibilă: {reason}"],
  ["{n} of {total} objectives are missing", "obiective lipsă ({n} din {total})"],
  ["The mirror of {time} stays in use", "Rămâne activă lista actualizată la {time}."],
  [
    "Only the configured and imported objectives are known",
    "Se cunosc numai obiectivele configurate și cele importate.",
  ],
  ["It is retried automatically", "Se reîncearcă automat."],
  [
    "If the list is correct, run santinela objectives pull --accept-removals",
    "Dacă lista este corectă, rulați santinela objectives pull --accept-removals.",
  ],
  ["sign-in: {reason}", "autentificare: {reason}"],
  ["answered {status}: {text}", "răspuns {status}: {text}"],
  ["answered {status}", "răspuns {status}"],
  ["connect {code} {address}", "{code} {address}"],
  ["the dispatch centre {url} cannot be reached: {reason}", "dispeceratul {url} este indisponibil: {reason}"],
  ["no response within {n} s", "niciun răspuns în {n} s"],
  ["no response within {n} ms", "niciun răspuns în {n} ms"],
  ["connection closed without a response", "conexiune închisă fără răspuns"],
  ["the database is busy; try again", "baza de date este ocupată; reîncercați"],
  [
    "the disk of this device is nearly full: only records with high priority are stored",
    "discul dispozitivului este aproape plin: se salvează numai înregistrările cu prioritate ridicată",
  ],
  ["the disk of this device is full", "discul dispozitivului este plin"],
  ["the disk of this device is not writable", "pe discul dispozitivului nu se poate scrie"],
  [
    "Nothing was stored. Free space on the disk or check it, then repeat the request",
    "Nu s-a salvat nimic. Eliberați spațiu pe disc sau verificați-l, apoi reîncercați",
  ],
  ["the daemon is restarting; try again shortly", "serviciul repornește; reîncercați peste câteva secunde"],
  ["the daemon is stopping", "serviciul se oprește"],
  ["the local API is starting", "API-ul local pornește"],

  ...RO_DISPOSITIONS,

  // Discovery and the broker
  ["the broker closed the connection", "brokerul a închis conexiunea"],
  ["the built-in broker does not listen yet", "brokerul inclus nu a pornit încă"],
  [
    "the broker does not allow this account to read any topic",
    "brokerul nu permite acestui cont să citească niciun topic",
  ],
  ["the MQTT broker cannot be reached: {reason}", "brokerul MQTT este indisponibil: {reason}"],

  // More general than a text above
  ["unknown zone {id}", "zona {id} nu există"],
  ["cannot listen on {address}: {reason}", "serviciul nu poate folosi adresa {address}: {reason}"],
  ["{name} {path} does not exist", "{name} {path} nu există"],
  ["Set {option} to {value}", "Setați {option} la {value}"],

  // The place of an error, before the error
  ["{place}: {problem}", "{place}: {problem}"],
];
