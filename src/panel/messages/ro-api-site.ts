/** Summaries of the operations below `/site`, in Romanian, as in `ro-api.ts`. */
export const RO_API_SITE: readonly (readonly [english: string, romanian: string])[] = [
  // Daily work
  [
    "State of the site: headline with reasons, conditions, waiting trips and records, the link",
    "Starea locației: starea generală cu motivele ei, problemele, declanșările și înregistrările în așteptare, conexiunea",
  ],
  [
    "Status, zones and walk test as server-sent events; continues after Last-Event-ID",
    "Starea, zonele și testul de mers ca flux de evenimente; continuă după `Last-Event-ID`",
  ],
  [
    "Zones with contact, disposition of a trip now, bypass and faults",
    "Zonele, cu starea contactului, rezultatul unei declanșări în acest moment, bypassul și deranjamentele",
  ],
  [
    "Trips, faults and times out of service of each zone",
    "Declanșările, deranjamentele și perioadele de scoatere din funcțiune ale fiecărei zone",
  ],
  [
    "Where a zone reads its contact, such as its topic or line, with its last message",
    "Sursa contactului unei zone, de exemplu topicul sau linia, cu ultimul mesaj",
  ],
  [
    "Bypass a zone for a number of minutes, or until the site has a full hour",
    "Bypassul unei zone pentru un număr de minute sau până la o oră fixă a locației",
  ],
  [
    "Return a zone to service after a bypass or a shutdown",
    "Reactivarea unei zone după un bypass sau o blocare automată (swinger)",
  ],
  [
    "Set the contact of a zone; the trip is real",
    "Stabilirea stării contactului unei zone; declanșarea este reală",
  ],
  ["The newest trips", "Cele mai noi declanșări"],
  [
    "Event log and trips in one timeline, newest first; the header Link has the next page",
    "Jurnalul de evenimente și declanșările într-un singur istoric, începând cu cele mai noi; antetul `Link` conține pagina următoare",
  ],
  [
    "History of an intervention, and its phase in the outbox",
    "Istoricul unei intervenții și starea ei în coada de transmitere",
  ],
  [
    "What was sent about an intervention to a monitoring receiver, with its replies",
    "Ce s-a transmis despre o intervenție unui receptor de monitorizare, cu răspunsurile acestuia",
  ],
  [
    "The link, and the records that are not synced with phase, attempts and last response",
    "Conexiunea și înregistrările nesincronizate, cu starea transmiterii, încercările și ultimul răspuns",
  ],
  [
    "The link in 288 intervals, and how long records have waited",
    "Starea conexiunii în 288 de intervale și timpul de așteptare al înregistrărilor",
  ],
  [
    "The sync states of these interventions, with their ids at the centre",
    "Starea sincronizării acestor intervenții, cu numerele lor de la dispecerat",
  ],
  ["Retry everything now", "Reîncercarea imediată a tuturor transmiterilor"],
  [
    "Test the dispatch centre with test records and remove them",
    "Testarea dispeceratului cu înregistrări de test, care apoi se șterg",
  ],
  [
    "Retry a record now; create it again if the centre has deleted it",
    "Retransmiterea imediată a unei înregistrări; dacă dispeceratul a șters-o, se creează din nou",
  ],
  ["Stop sending a record to the centre", "Oprirea transmiterii unei înregistrări la dispecerat"],
  [
    "Replace the centre's record with the local one",
    "Înlocuirea înregistrării de la dispecerat cu cea locală",
  ],
  [
    "The copy of the centre's objectives: lists, last reading, differences",
    "Lista de obiective a dispeceratului, păstrată local: listele, ultima actualizare, diferențele",
  ],
  ["Read the centre's lists now", "Actualizarea imediată a listelor dispeceratului"],
  [
    "Read the centre's lists now, even if they lack most of their former entries",
    "Actualizarea imediată a listelor dispeceratului, chiar dacă lipsesc cele mai multe dintre obiectivele anterioare",
  ],
  [
    "Where other devices open the web panel, as a QR code too, and the fingerprint to compare",
    "Adresa la care alte dispozitive deschid panoul web, și ca un cod QR, cu amprenta de comparat",
  ],

  // Tests
  ["The outputs and their state", "Ieșirile și starea lor"],
  [
    "Switch an output for two seconds; not while it is in use or cannot be switched",
    "Comutarea unei ieșiri timp de două secunde; nu cât timp este folosită sau dacă nu poate fi comutată",
  ],
  [
    "The running walk test, or the result of the last one; null before the first",
    "Testul de mers în curs sau rezultatul ultimului test; `null` înainte de primul",
  ],
  [
    "Start a walk test, extend it with `extend` or end it with `end`; null if none was running",
    "Pornirea unui test de mers (walk test), prelungirea lui cu `extend` sau încheierea lui cu `end`; `null` dacă niciun test nu era în curs",
  ],
  [
    "The walk tests that have ended, newest first; Link leads to the next page",
    "Testele de mers încheiate, începând cu cele mai noi; `Link` conține pagina următoare",
  ],
  [
    "The stored result of a walk test; the ETag is the SHA-256 of the response body",
    "Rezultatul salvat al unui test de mers; `ETag` este SHA-256 al corpului răspunsului",
  ],
  [
    "Send a marked intervention along the path of an alarm",
    "Test de comunicație: o intervenție marcată ca test se transmite pe aceeași cale ca o alarmă",
  ],
  ["Progress of a signal test", "Desfășurarea unui test de comunicație"],

  // Floor plans
  ["Floor plans with the places of their zones", "Planurile, cu pozițiile zonelor"],
  [
    "Add a floor plan: a PNG or JPEG picture of at most 2 MB",
    "Adăugarea unui plan: o imagine PNG sau JPEG de cel mult 2 MB",
  ],
  [
    "Change the name or the places of the zones, in per cent of the picture's width and height",
    "Modificarea numelui sau a pozițiilor zonelor, în procente din lățimea și înălțimea imaginii",
  ],
  ["Remove a floor plan with its picture", "Eliminarea unui plan, cu imaginea lui"],
  ["The picture of a floor plan", "Imaginea unui plan"],
  [
    "Replace the picture; the zones stay in their places",
    "Înlocuirea imaginii; zonele își păstrează pozițiile",
  ],

  // The configuration
  [
    "Every option in force and its source, without secrets",
    "Toate opțiunile active și sursa lor, fără date secrete",
  ],
  [
    "The zones and the site as the file has them, and whether they may be changed here",
    "Zonele și locația, așa cum apar în fișier, și dacă pot fi modificate aici",
  ],
  [
    "What a change of the zones or of the site would do; writes nothing",
    "Efectul unei modificări a zonelor sau a locației; nu se scrie nimic",
  ],
  [
    "Enter your own password again; the confirmation is valid for ten minutes",
    "Confirmarea parolei proprii; este valabilă zece minute",
  ],
  [
    "Write, apply and verify a change of the zones or of the site",
    "Scrierea, aplicarea și verificarea unei modificări a zonelor sau a locației",
  ],
  [
    "The last ten versions of the configuration file, with the time and the author of each",
    "Ultimele zece versiuni ale fișierului de configurare, cu ora și autorul fiecăreia",
  ],
  [
    "What a return to an earlier text would do; writes nothing",
    "Efectul revenirii la o versiune anterioară; nu se scrie nimic",
  ],
  [
    "Write an earlier text into the configuration file, apply and verify it",
    "Revenirea la o versiune anterioară: se scrie în fișierul de configurare, se aplică și se verifică",
  ],
  [
    "Whether this site can be enrolled at a dispatch centre here",
    "Dacă locația poate fi înrolată de aici la un dispecerat",
  ],
  [
    "Exchange a one-time code of a dispatch centre for the account of this site, apply and verify it",
    "Înrolarea locației cu un cod de unică folosință al unui dispecerat: contul primit se aplică și se verifică",
  ],

  // Administration
  [
    "Devices at the broker with the zones that they could be, unknown topics, GPIO lines",
    "Dispozitivele de la broker, cu zonele posibile pentru fiecare, topicurile necunoscute, liniile GPIO",
  ],
  [
    "What an input of a zone that does not exist yet has read since the first call; nothing trips",
    "Citirile intrării unei zone care încă nu există, de la primul apel; nimic nu se declanșează",
  ],
  ["The account of the token", "Contul căruia îi aparține tokenul"],
  [
    "Set the account's own password and end all its tokens",
    "Setarea parolei contului propriu; toate tokenurile lui expiră",
  ],
  [
    "Accounts with role, and whether they are disabled; without those of sites",
    "Conturile, cu rolul lor și dacă sunt dezactivate; fără cele ale locațiilor",
  ],
  [
    "Add an account, with your own password; its user sets a new one at the first sign-in",
    "Adăugarea unui cont, cu confirmarea parolei proprii; la prima autentificare, utilizatorul lui setează o parolă nouă",
  ],
  [
    "Set role, disabled or an initial password, with your own password, and end the tokens of the account",
    "Setarea câmpului `role` sau `disabled` ori a unei parole inițiale, cu confirmarea parolei proprii; tokenurile contului expiră",
  ],
  ["A checked backup of the database", "O copie de siguranță verificată a bazei de date"],
  [
    "Upload a backup in pieces of at most 1 MB",
    "Încărcarea unei copii de siguranță, în părți de cel mult 1 MB",
  ],
  [
    "Show what restoring an upload would change (200), or restore it (202)",
    "Afișarea modificărilor aduse de restaurarea copiei încărcate (200) sau restaurarea ei (202)",
  ],
  ["Enable debug logging for a few minutes", "Activarea jurnalului tehnic detaliat pentru câteva minute"],
  [
    "Apply the configuration file while the daemon runs",
    "Reîncărcarea fișierului de configurare, fără oprirea serviciului",
  ],
  [
    "Restart the daemon with the current configuration file",
    "Repornirea serviciului cu fișierul de configurare actual",
  ],
  [
    "Confirm that this machine replaces the one on which the data was created",
    "Confirmarea că acest dispozitiv îl înlocuiește pe cel pe care au fost create datele",
  ],
  ["The certificate authority of this installation", "Autoritatea de certificare a instalației"],
  ["Whether the initial administrator is unclaimed", "Dacă administratorul inițial nu a fost încă preluat"],
  [
    "Claim the initial administrator with the one-time code; returns a token",
    "Preluarea administratorului inițial cu codul de unică folosință; răspunsul conține un token",
  ],
  [
    "Return the next questions and the resulting configuration for the answers so far",
    "Întrebările următoare și configurația obținută din răspunsurile de până acum",
  ],
];
