/** What GPIO, MQTT, certificates and the files of the device lack, in Romanian; see ro-daemon.ts. */
export const RO_DEVICES: readonly (readonly [english: string, romanian: string])[] = [
  // Addresses
  ["this machine has no address {address}; retrying", "dispozitivul nu are adresa {address}; se reîncearcă"],
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
  [
    "{problem}; it stays in the journal and is retried automatically",
    "{problem}; rămâne în jurnalul declanșărilor și se reîncearcă automat",
  ],

  // GPIO
  ["chip {name}: {problem}", "cipul {name}: {problem}"],
  [
    "no line of {chip} is read: {reason}. It is started again automatically",
    "nicio linie a cipului {chip} nu este citită: {reason}. Citirea se reia automat",
  ],
  ["the chip", "GPIO"],
  ["the process that reads it did not respond", "procesul care îl citește nu a răspuns"],
  [
    "the process that reads it does not respond and cannot be ended",
    "procesul care îl citește nu răspunde și nu poate fi oprit",
  ],
  ["the process that reads it has exited", "procesul care îl citește s-a oprit"],
  ["{problem} Not read: {zones}", "{problem}. Zone necitite: {zones}"],
  [
    "line {n} can no longer be read: {reason}. It is reopened automatically",
    "linia {n} nu mai poate fi citită: {reason}. Se redeschide automat",
  ],
  [
    "Add the user to the group gpio; under systemd allow the device in the unit (DeviceAllow=char-gpiochip rw)",
    "Adăugați utilizatorul în grupul gpio; sub systemd, permiteți accesul la dispozitiv în unitatea serviciului (DeviceAllow=char-gpiochip rw)",
  ],
  ["{n} GPIO chips have {wanted}", "{n} cipuri GPIO au {wanted}"],
  ["set gpio.chip to a unique label", "setați gpio.chip la o etichetă unică"],
  [
    "set gpio.chips.{name}.device to distinguish them ({devices})",
    "setați gpio.chips.{name}.device ca să le deosebiți ({devices})",
  ],
  [
    "GPIO line {n} does not exist: {chip} has {lines} lines",
    "linia GPIO {n} nu există; linii pe cipul {chip}: {lines}",
  ],
  [
    "Use the BCM number of the line, not the pin number",
    "Folosiți numărul BCM al liniei, nu numărul pinului",
  ],
  ["GPIO line {n} cannot be opened: {reason}", "linia GPIO {n} nu poate fi deschisă: {reason}"],
  // The kernel's reasons, and the remedies
  ["the kernel has no line with that number", "kernelul nu are o linie cu acest număr"],
  ["Check the BCM number and gpio.chip", "Verificați numărul BCM și gpio.chip"],
  [
    "this kernel offers no GPIO lines with interrupts through this backend",
    "kernelul nu oferă prin acest backend linii GPIO cu întreruperi",
  ],
  ["Set gpio.backend to the other of onoff and cdev", "Treceți gpio.backend din onoff în cdev sau invers"],
  ["its chip was removed", "cipul ei a fost deconectat"],
  [
    "Plug it in again, or load its driver; santinela gpio list shows the chips",
    "Conectați-l din nou sau încărcați driverul; santinela gpio list afișează cipurile",
  ],
  ["permission denied", "acces interzis"],
  ["Add the daemon's user to the group gpio", "Adăugați utilizatorul serviciului în grupul gpio"],
  [
    "Allow the device in the unit of the service (DeviceAllow=char-gpiochip rw)",
    "Permiteți accesul la dispozitiv în unitatea serviciului (DeviceAllow=char-gpiochip rw)",
  ],
  ["/sys is read-only for this service", "acest serviciu nu poate scrie în /sys"],
  [
    "Allow /sys/class/gpio in the service's ReadWritePaths",
    "Adăugați /sys/class/gpio la ReadWritePaths în unitatea serviciului",
  ],
  ["another program or driver uses it", "este folosită de alt program sau driver"],
  [
    "santinela gpio list shows the holder; stop it or use another line",
    "santinela gpio list afișează programul care o folosește; opriți acel program sau folosiți altă linie",
  ],
  ["one of the labels found", "una dintre etichetele găsite"],
  ["what santinela gpio list shows", "ce afișează santinela gpio list"],
  [
    "Set gpio.backend to simulated on a machine without GPIO lines",
    "Pe un dispozitiv fără linii GPIO, setați gpio.backend la simulated",
  ],
  [
    "A chip that appears is used within seconds, without a restart",
    "Un cip conectat ulterior este folosit în câteva secunde, fără repornire",
  ],
  ["the process that drives line {n} has exited", "procesul care comandă linia {n} s-a oprit"],
  ["line {n} was not switched within {s} s", "linia {n} nu a fost comutată în {s} s"],
  [
    "onoff cannot set the bias of line {n}",
    "onoff nu poate seta rezistența pull-up sau pull-down a liniei {n}",
  ],
  [
    "Add gpio={n}=ip,{bias} to config.txt and omit bias, or set gpio.backend to cdev",
    "Adăugați gpio={n}=ip,{bias} în config.txt și ștergeți bias sau setați gpio.backend la cdev",
  ],
  [
    "GPIO in /sys does not know the device files of chips",
    "accesul GPIO prin /sys nu folosește fișierele de dispozitiv ale cipurilor",
  ],
  [
    "Set gpio.chips.{name} to a label or device instead of a path, or gpio.backend to cdev",
    "Setați gpio.chips.{name} la o etichetă sau la un dispozitiv, nu la o cale, sau setați gpio.backend la cdev",
  ],
  ["the onoff add-on is not installed", "modulul onoff nu este instalat"],
  [
    "Install a C++ toolchain (apt install g++ make python3) and run npm install again",
    "Instalați un compilator C++ (apt install g++ make python3) și rulați din nou npm install",
  ],
  [
    "another program has changed GPIO line {n} to direction {direction}, edge {edge}",
    "alt program a schimbat linia GPIO {n}: direcția {direction}, frontul {edge}",
  ],
  [
    "Stop that program, or use another line for the zone",
    "Opriți acel program sau folosiți altă linie pentru zonă",
  ],

  // Converters
  [
    "no converter is called {name} (found: {names})",
    "niciun convertor nu se numește {name} (există: {names})",
  ],
  ["Enable its driver ({page})", "Activați driverul lui ({page})"],
  [
    "A converter that appears is used within seconds, without a restart",
    "Un convertor activat este folosit în câteva secunde, fără repornire",
  ],
  ["{n} converters are called {name}", "{n} convertoare se numesc {name}"],
  ["Use the kernel device: {name}", "Folosiți dispozitivul kernelului: {name}"],
  ["converter {name}: {problem}", "convertorul {name}: {problem}"],
  ["the converter {name} has no input {n}", "convertorul {name} nu are intrarea {n}"],
  [
    "ls {folder} shows in_voltage<input>_raw for each input",
    "ls {folder} afișează in_voltage<input>_raw pentru fiecare intrare",
  ],
  ["{file} holds {text}, not a number", "{file} conține {text}, nu un număr"],

  // Certificates and databases
  ["{problem}; the current certificate stays in use", "{problem}; rămâne activ certificatul actual"],
  [
    "the certificate or its authority is valid from {from}, and it is now {now}: no client accepts it. {remedy}",
    "certificatul (sau autoritatea lui) este valabil abia de la {from}, iar acum este {now}: niciun browser și niciun client nu îl acceptă. {remedy}",
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
