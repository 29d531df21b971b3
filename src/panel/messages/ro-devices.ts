import { RO_LINES } from "./ro-lines.ts";

/** What MQTT, certificates and the files of the device lack, in Romanian; see ro-daemon.ts. */
export const RO_DEVICES: readonly (readonly [english: string, romanian: string])[] = [
  // Addresses
  ["this machine has no address {address}; retrying", "dispozitivul nu are adresa {address}; se reîncearcă"],
  [
    "port {port} of {address} is in use by another program",
    "portul {port} la adresa {address} este folosit de alt program",
  ],
  [
    "this user may not open port {port} of {address}: let systemd open it with santinela.socket, or set http.port to 1024 or more",
    "acest utilizator nu are dreptul să deschidă portul {port} la adresa {address}: lăsați systemd să-l deschidă prin santinela.socket sau setați http.port la cel puțin 1024",
  ],
  [
    "cannot listen on {address} port {port}: {reason}",
    "portul {port} nu poate fi deschis la adresa {address}: {reason}",
  ],

  ["the path is longer than {n} bytes", "calea are peste {n} octeți"],
  ["choose a shorter dataDir", "alegeți un dataDir mai scurt"],

  // MQTT
  [
    "port in use: stop the other program or set mqtt.listen.port",
    "port ocupat: opriți celălalt program sau setați mqtt.listen.port",
  ],
  ["if it is a broker, set mqtt.url", "dacă este un broker, setați mqtt.url"],
  ["the built-in broker has failed and is started again", "brokerul inclus s-a oprit și este repornit"],
  [
    "the MQTT broker has dropped {n} messages because a client's queue was full; trips may be missing. Set max_queued_messages 0 in its configuration (santinela doctor names a file with all settings) and check the sensors for events in this time",
    "brokerul MQTT a eliminat mesaje ({n}), deoarece coada unui client era plină; pot lipsi declanșări. Setați max_queued_messages 0 în configurația lui (santinela doctor indică un fișier cu toate setările) și verificați ce s-a întâmplat la senzori în acest timp",
  ],
  [
    "the broker denies this account read access: {reason}",
    "brokerul nu permite acestui cont citirea: {reason}",
  ],
  [
    "Check that it runs and that mqtt.url, username, passwordFile and tls are correct",
    "Verificați dacă funcționează și dacă mqtt.url, username, passwordFile și tls sunt corecte",
  ],
  ["the broker denies this account access to {topic}", "brokerul nu permite acestui cont accesul la {topic}"],
  [
    "Allow it to read and write santinela/probe/#; the probe needs this to test whether a trip can be lost",
    "Acordați-i drept de citire și de scriere în santinela/probe/#; testul verifică astfel dacă se poate pierde o declanșare",
  ],
  ["topic {name}: {problem}", "topicul {name}: {problem}"],
  ["the broker is not connected", "brokerul nu este conectat"],
  [
    "it is no longer in the configuration, and may still be on ({problem})",
    "nu mai este în configurație și poate fi încă pornită ({problem})",
  ],
  [
    "{problem}; it stays in the journal and is retried automatically",
    "{problem}; rămâne în jurnalul declanșărilor și se reîncearcă automat",
  ],

  ...RO_LINES,

  // Certificates and databases
  ["{problem}; the current certificate stays in use", "{problem}; rămâne activ certificatul actual"],
  [
    "the certificate or its authority is valid only from {from}: no client accepts it. {remedy}",
    "certificatul (sau autoritatea lui) este valabil abia de la {from}: niciun browser și niciun client nu îl acceptă. {remedy}",
  ],
  [
    "Check the clock (timedatectl timesync-status) and the file",
    "Verificați ceasul (timedatectl timesync-status) și fișierul",
  ],
  [
    "Both are replaced once the clock is set (timedatectl timesync-status)",
    "Ambele se înlocuiesc după sincronizarea ceasului (timedatectl timesync-status)",
  ],
  [
    "Both are replaced once the clock is set, which no time server has done yet (timedatectl timesync-status)",
    "Ambele se înlocuiesc după sincronizarea ceasului; până acum nu l-a sincronizat niciun server de timp (timedatectl timesync-status)",
  ],
  [
    "the authority was valid from {from}, so it and the certificate were replaced. Install the new authority (santinela cert --ca) on each device that has the old one; its SHA-256 fingerprint is {fingerprint}",
    "autoritatea era valabilă abia de la {from}, de aceea a fost înlocuită împreună cu certificatul. Instalați noua autoritate (santinela cert --ca) pe fiecare telefon și calculator care o are pe cea veche; amprenta SHA-256 este {fingerprint}",
  ],
  [
    "{problem}; the installation's own certificate is used until then: devices accept it only with its authority (tls/ca.crt in the data directory)",
    "{problem}; până atunci se folosește certificatul propriu al instalației: browserele îl acceptă numai cu autoritatea lui (tls/ca.crt din directorul de date)",
  ],
  [
    "{problem}; a certificate that is not stored is used until then",
    "{problem}; până atunci se folosește un certificat temporar, nesalvat",
  ],
  [
    "{problem}; all users must sign in again after the next start",
    "{problem}; după următoarea pornire toți utilizatorii trebuie să se autentifice din nou",
  ],
  ["cannot use {first} and {second}: {reason}", "{first} și {second} nu pot fi folosite: {reason}"],
  [
    "http.tls needs a PEM certificate, followed by its issuers, and its PEM key",
    "http.tls necesită un certificat PEM, urmat de certificatele emitenților, și cheia PEM",
  ],
  ["{text} Read {file}, then remove it", "{text} Citiți {file}, apoi ștergeți-l"],
  ["{name} could not be completed", "scrierea fișierului {name} nu s-a putut încheia"],
  ["Check the disk", "Verificați discul"],
  [
    "{file} cannot be restored: about {neededMb} MB are needed in {folder}, {freeMb} MB are free; the current database stays in use",
    "{file} nu poate fi restaurat: sunt necesari circa {neededMb} MB în {folder}, liberi sunt {freeMb} MB; baza de date actuală rămâne în folosință",
  ],
  [
    "Move old directories of quarantine/, older files of backups/ and *.db.v<n> from the data directory to another disk",
    "Mutați pe alt disc directoarele vechi din quarantine/, fișierele mai vechi din backups/ și *.db.v<n> din directorul de date",
  ],
  ["{file} cannot be restored: it is a directory", "{file} nu poate fi restaurat: este un director"],
  [
    "Name one of the files in it, for example {file}",
    "Alegeți unul dintre fișierele din el, de exemplu {file}",
  ],
  ["{file} cannot be restored: it is not a file", "{file} nu poate fi restaurat: nu este un fișier"],
  ["cannot open the database {file}: {reason}", "baza de date {file} nu poate fi deschisă: {reason}"],
  [
    "Check that the directory exists and that this user may write to it",
    "Verificați dacă directorul există și dacă acest utilizator poate scrie în el",
  ],
  [
    "{file}: pragma {name} is {value} and must be {wanted}",
    "{file}: pragma {name} este {value}, dar trebuie să fie {wanted}",
  ],
  [
    "The file system does not support durable databases. Use a local disk",
    "Sistemul de fișiere nu garantează păstrarea datelor la o pană de curent. Folosiți un disc local",
  ],
  [
    "Set dataDir to the data directory of this installation",
    "Setați dataDir la directorul de date al acestei instalații",
  ],
  [
    "Install that release again, or restore an older backup",
    "Instalați din nou acea versiune sau restaurați o copie mai veche",
  ],
  [
    "{file} was made by a newer release (schema {version}, this one knows {n})",
    "{file} provine dintr-o versiune mai nouă (schema {version}; cea acceptată aici: {n})",
  ],
  ["cannot use the database {file}: {reason}", "baza de date {file} nu poate fi folosită: {reason}"],
  [
    "Earlier backups are kept. A running daemon restarts itself and recovers the database; otherwise start it",
    "Copiile anterioare se păstrează. Dacă funcționează, serviciul repornește automat și recuperează baza de date; altfel, porniți-l",
  ],
];
