/** What the electrical inputs and outputs lack, in Romanian; see ro-daemon.ts. */
export const RO_LINES: readonly (readonly [english: string, romanian: string])[] = [
  // GPIO
  [
    "line {n} is used by output {name} and by zone {zone}. Use another line",
    "linia {n} este folosită de ieșirea {name} și de zona {zone}; folosiți altă linie",
  ],
  [
    "line {n} is used by output {name} and by the gate of zone {zone}. Use another line",
    "linia {n} este folosită de ieșirea {name} și de condiția de armare a zonei {zone}; folosiți altă linie",
  ],
  // At the field of the zone.
  [
    "line {n} is used by output {name}. Use another line",
    "linia {n} este folosită de ieșirea {name}; folosiți altă linie",
  ],
  ["chip {name}: {problem}", "cipul {name}: {problem}"],
  [
    "no line of {chip} is read: {reason}. It is started again automatically. {problem}",
    "nicio linie a cipului {chip} nu este citită: {reason}. Citirea se reia automat. {problem}",
  ],
  [
    "Check that Perl works (perl -v) and that memory is free",
    "Verificați dacă Perl funcționează (perl -v) și dacă există memorie liberă",
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
  [
    "the kernel has no line with that number, or the chip does not have its bias",
    "kernelul nu are o linie cu acest număr sau cipul nu are rezistența cerută (bias)",
  ],
  [
    "Check the BCM number, the bias and the chip of the line (gpio.chip or gpio.chips)",
    "Verificați numărul BCM, bias și cipul liniei (gpio.chip sau gpio.chips)",
  ],
  [
    "gpio.backend is simulated: no GPIO line is read, so contacts and key switches change nothing ({zones})",
    "gpio.backend este simulated: nu se citește nicio linie GPIO, deci contactele și comutatoarele cu cheie nu schimbă nimic ({zones})",
  ],
  ["it did not respond for 20 s", "nu a răspuns timp de 20 s"],
  ["the chip is no longer read", "cipul nu mai este citit"],
  ["its chip does not respond on its bus", "cipul ei nu răspunde pe magistrală"],
  [
    "Check the chip's supply and the wires of its bus",
    "Verificați alimentarea cipului și conductoarele magistralei",
  ],
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
    "If the holder is santinela, its earlier process has not ended yet; the line is opened once it has",
    "Dacă acel program este santinela, procesul anterior nu s-a încheiat încă; linia se deschide după încheierea lui",
  ],
  [
    "santinela gpio list shows the holder; stop it or use another line",
    "santinela gpio list afișează programul care o folosește; opriți acel program sau folosiți altă linie",
  ],
  ["one of the labels found", "una dintre etichetele găsite"],
  ["what santinela gpio list shows", "ce afișează santinela gpio list"],
  [
    "The kernel's log (dmesg) shows whether its GPIO driver was loaded",
    "Jurnalul kernelului (dmesg) arată dacă driverul GPIO s-a încărcat",
  ],
  [
    "A chip that appears is used within seconds, without a restart",
    "Un cip conectat ulterior este folosit în câteva secunde, fără repornire",
  ],
  ["the process that drives line {n} has exited", "procesul care comandă linia {n} s-a oprit"],
  ["It is started again automatically", "Se pornește din nou automat"],
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
  [
    "Check the converter's driver (dmesg) and its supply",
    "Verificați driverul convertorului (dmesg) și alimentarea lui",
  ],
  ["{folder} is no longer the converter {name}", "{folder} nu mai este convertorul {name}"],
  [
    "It was removed, or has another number now. It is searched for automatically",
    "A fost deconectat sau are acum alt număr. Este căutat automat",
  ],
  [
    "the loop of zone {zone} changes with each reading, so it has no state",
    "rezistența buclei zonei {zone} diferă la fiecare citire, deci starea ei nu poate fi stabilită",
  ],
  [
    "Check its terminals, its cable and the supply",
    "Verificați bornele și cablul buclei, precum și alimentarea",
  ],
  ["the kernel reports {code}", "kernelul raportează {code}"],
  ["a reading has not been answered within {n} s", "o citire nu a primit răspuns în {n} s"],
  ["It is read again automatically once it responds", "Se citește din nou automat când răspunde"],
  ["Check its supply and its I2C or SPI wires", "Verificați alimentarea lui și conductoarele I2C sau SPI"],
  // Outputs
  ["output {name} is in use now", "ieșirea {name} este activă acum"],
  ["Test it afterwards", "Testați-o mai târziu"],
  [
    "A walk test or a bypass of the zone switches it off earlier",
    "Un test de mers (walk test) sau un bypass al zonei o oprește mai devreme",
  ],
  ["output {name} does not exist", "ieșirea {name} nu există"],
  ["output {name} cannot be switched: {reason}", "ieșirea {name} nu poate fi comutată: {reason}"],
];
