import { RO_GATES } from "./ro-gates.ts";
import { RO_YAML } from "./ro-yaml.ts";
import { RO_ZONE_WARNINGS } from "./ro-zone-warnings.ts";

/** What the daemon says of the configuration of zones in English, and the same in Romanian, as in `ro-daemon.ts`. */
export const RO_CONFIGURATION: readonly (readonly [english: string, romanian: string])[] = [
  [
    "cannot set {option}: a parent of it is not a section in {file}",
    "{option} nu poate fi setată: în {file}, opțiunea care ar trebui să o conțină nu este o secțiune",
  ],
  ["Write the sections out there", "Scrieți întâi secțiunea în fișier"],
  ["the embedded configuration", "configurația inclusă"],
  ["the configuration file has changed in the meantime", "fișierul de configurare s-a modificat între timp"],
  ["{file} is not UTF-8 in line {line}", "{file} nu este text UTF-8 la linia {line}"],
  ["Save the file as UTF-8", "Salvați fișierul în UTF-8"],
  [
    "the change could not be undone ({reason}), and the daemon is not healthy with it: {fault}",
    "modificarea nu a putut fi anulată ({reason}), iar cu ea serviciul nu funcționează corect: {fault}",
  ],
  [
    "Correct the file on the device, then run santinela reload",
    "Corectați fișierul de pe dispozitiv, apoi rulați santinela reload",
  ],
  ["Read it again and repeat the change", "Recitiți-l și repetați modificarea"],
  ["another change is being applied", "se aplică deja o altă modificare"],
  [
    "only a dispatch centre has it: a site keeps its records in its own SQLite",
    "numai un dispecerat are această opțiune: o locație își păstrează înregistrările în propria bază de date SQLite",
  ],
  ["Remove it, or run santinela centre", "Ștergeți-o sau rulați santinela centre"],
  ["the earlier configuration {name} does not exist", "configurația anterioară {name} nu există"],
  ["the configuration file has this text already", "fișierul de configurare are deja acest conținut"],
  [
    "only the configuration file on the device can change {options}",
    "{options}: se modifică numai în fișierul de configurare de pe dispozitiv",
  ],
  ["this installation has no configuration file", "această instalație nu are fișier de configurare"],
  [
    "http.configuration is file-only: it is changed in the configuration file",
    "http.configuration este file-only: modificările se fac în fișierul de configurare",
  ],
  [
    "http.configuration is file-only: the dispatch centre is set in the configuration file",
    "http.configuration este file-only: dispeceratul se stabilește în fișierul de configurare",
  ],
  ["the service may not write the configuration file", "serviciul nu poate scrie în fișierul de configurare"],
  ["{file} cannot be written: {reason}", "nu se poate scrie în {file}: {reason}"],
  [
    "Let the user of the service write this file, and only this one: chgrp santinela and chmod 660",
    "Acordați utilizatorului serviciului drept de scriere numai pentru acest fișier: chgrp santinela și chmod 660",
  ],
  ["Free space on it, then repeat the change", "Eliberați spațiu, apoi repetați modificarea"],
  [
    "this site has a dispatch centre; the destination of alarms can be changed only on the device",
    "locația are deja un dispecerat; destinația alarmelor se schimbă numai pe dispozitiv",
  ],
  ["Use santinela enrol on the device", "Folosiți santinela enrol pe dispozitiv"],
  [
    "this is a dispatch centre; sites are enrolled at a site",
    "acesta este un dispecerat; înrolarea se face la locație",
  ],
  ["another enrolment is running", "o altă înrolare este în curs"],
  ["it has a dispatch centre", "are deja un dispecerat"],
  ["{address} is not the address of a dispatch centre", "{address} nu este adresa unui dispecerat"],
  [
    "Use its base URL, such as https://dispecerat.example.ro/api",
    "Folosiți adresa de bază, de exemplu https://dispecerat.example.ro/api",
  ],
  ["no response from {centre}: {reason}", "niciun răspuns de la {centre}: {reason}"],
  ["The port does not use TLS. Use {address}", "Portul nu folosește TLS. Folosiți {address}"],
  [
    "Check the address (http or https) and the network, then try again with the same code",
    "Verificați adresa (http sau https) și rețeaua, apoi reîncercați cu același cod",
  ],
  [
    "{centre}: the one-time code is unknown here, used or expired",
    "{centre}: codul de unică folosință este necunoscut, folosit sau expirat",
  ],
  [
    "{centre}: the one-time code is for site {other} and not for {site}",
    "{centre}: codul de unică folosință este pentru locația {other}, nu pentru {site}",
  ],
  [
    "{centre}: site {site} would get the account {email}, which is that of site {other}",
    "{centre}: locația {site} ar primi contul {email}, care este al locației {other}",
  ],
  [
    "{centre}: site {site} would get the account {email}, which is that of a user",
    "{centre}: locația {site} ar primi contul {email}, care este al unui utilizator",
  ],
  [
    "Create another at the dispatch centre: santinela sites invite",
    "Creați altul la dispecerat: santinela sites invite",
  ],
  [
    "Set site.ref to {other}, or create a code for {site}",
    "Setați site.ref la {other} sau creați un cod pentru {site}",
  ],
  [
    "the server at {centre} cannot enrol sites ({status})",
    "serverul {centre} nu poate înrola locații ({status})",
  ],
  ["Check the address", "Verificați adresa"],
  [
    "A dispatch centre of another vendor has its own accounts",
    "Un dispecerat de la alt producător are conturi proprii",
  ],
  ["{centre} accepts no further codes for now", "{centre} nu mai acceptă coduri deocamdată"],
  ["Try again in {n} seconds", "Reîncercați peste {n} s"],
  [
    "the certificate of the authority cannot be used: {reason}",
    "certificatul autorității nu poate fi folosit: {reason}",
  ],
  [
    "Set http.configuration: panel in the file and restart to allow it here",
    "Pentru a permite modificarea de aici, setați http.configuration: panel în fișier și reporniți serviciul",
  ],
  [
    "the configuration file cannot be changed here: {reason}",
    "fișierul de configurare nu poate fi modificat de aici: {reason}",
  ],
  ["line {line}, column {column}: {problem}", "linia {line}, coloana {column}: {problem}"],
  ...RO_YAML,
  [
    "Edit the file on the device, then run santinela reload",
    "Modificați fișierul pe dispozitiv, apoi rulați santinela reload",
  ],
  [
    "{option} is set by an environment variable and cannot be changed here",
    "{option} este setată printr-o variabilă de mediu și nu poate fi modificată de aici",
  ],
  ["unknown zone {id} in the configuration file", "zona {id} nu există în fișierul de configurare"],
  ["the new configuration was not applied: {reason}", "configurația nouă nu a fost aplicată: {reason}"],
  ["trips are no longer processed", "declanșările nu se mai prelucrează"],
  ["it was not applied", "nu a fost aplicată"],
  [
    "line {n} is used by two zones, {zone} and {other}",
    "linia {n} este folosită de două zone: {zone} și {other}",
  ],
  [
    "line {n} is the input of zone {zone}; a gate needs a separate line",
    "linia {n} este intrarea zonei {zone}; condiția de armare are nevoie de altă linie",
  ],
  [
    "line {n} is also the gate of zone {zone}, with a different contact or bias",
    "linia {n} este folosită și de condiția de armare a zonei {zone}, cu alt tip de contact (NC/NO) sau cu altă rezistență (pull-up/pull-down)",
  ],
  [
    "unknown chip {name}. Known in gpio.chips: {names}. Without chip, the zone uses the chip of gpio.chip",
    "cipul {name} nu există în gpio.chips (există: {names}); fără chip, zona folosește cipul din gpio.chip",
  ],
  [
    "unknown chip {name}. Known in gpio.chips: {names}. Without chip, the output uses the chip of gpio.chip",
    "cipul {name} nu există în gpio.chips (există: {names}); fără chip, ieșirea folosește cipul din gpio.chip",
  ],
  [
    "line {n} is also used by output {name}. Use another line",
    "linia {n} este folosită și de ieșirea {name}; folosiți altă linie",
  ],
  [
    "input {n} of {adc} is used by two zones, {zone} and {other}",
    "intrarea {n} a convertorului {adc} este folosită de două zone: {zone} și {other}",
  ],
  [
    "normal ({normal} Ω) and alarm ({alarm} Ω) overlap with a tolerance of {n} %. Use resistors that differ more, or a smaller tolerancePercent",
    "normal ({normal} Ω) și alarmă ({alarm} Ω) se suprapun la o toleranță de {n} %; folosiți rezistențe cu valori mai îndepărtate sau un tolerancePercent mai mic",
  ],
  [
    "the loop of the zone reports its tamper: cut and short circuit. Remove tamper",
    "bucla zonei semnalează deja sabotajul (întrerupere și scurtcircuit); ștergeți tamper",
  ],
  ["unknown profile {name}. Known: {names}", "profilul {name} nu există (există: {names})"],
  ...RO_GATES,
  [
    "EN 50131 requires signals of {n} ms to be processed. Use at most that, or allowSlow: true to allow a slower zone",
    "EN 50131 cere prelucrarea semnalelor de {n} ms; folosiți cel mult această valoare sau allowSlow: true pentru o zonă mai lentă",
  ],
  ["{option} is missing", "{option} lipsește"],
  ["unknown option. {remedy}", "opțiune necunoscută; {remedy}"],
  ["Did you mean {option}?", "poate ați vrut să scrieți {option}"],
  ["Known here: {names}", "opțiuni posibile: {names}"],
  ["the daemon keeps its previous configuration", "rămâne activă configurația anterioară"],
  ["mqtt is missing: the input of the zone is not MQTT", "mqtt lipsește: intrarea zonei nu este MQTT"],
  [
    "needs low (values that mean low) or below (percentage)",
    "are nevoie de low (valori pentru baterie descărcată) sau below (procent)",
  ],
  [
    "overlaps with the filter {filter} of another zone or value. Make both equal or narrower",
    "se suprapune cu filtrul {filter} al altei zone sau valori; folosiți filtre identice sau mai restrânse",
  ],
  [
    "zone {id} already opens at the same value of this topic and path. Correct the topic, or add where with conditions that exclude the other zone's messages",
    "zona {id} se deschide deja la aceeași valoare, din același topic și path; corectați topicul sau adăugați where cu condiții care exclud mesajele celeilalte zone",
  ],
  [
    "{values} compare equal: case is ignored, on, true and 1 are equal, and off, false and 0 are equal. Use different values",
    "{values} se consideră egale: nu se face diferența între majuscule și minuscule; on, true și 1 sunt egale, la fel și off, false și 0. Folosiți valori diferite",
  ],
  ...RO_ZONE_WARNINGS,
  // A list of objectives, wherever a text names it
  ["obiective/cladiri", "clădiri"],
  ["obiective/bunuri", "bunuri"],
  ["obiective/persoane", "persoane"],
  ["chip {name} is new in gpio.chips", "cipul {name} a fost adăugat în gpio.chips"],
  ["the broker is new in the configuration", "brokerul a fost adăugat în configurație"],
  ["Restart the daemon to use it", "Reporniți serviciul pentru a-l folosi"],
  [
    "kinds needs on: alarm, because {reason} concerns the whole site. Remove kinds",
    "kinds cere on: alarm, deoarece {reason} se referă la întreaga locație; ștergeți kinds",
  ],
  ["no GPIO chip with {wanted} (found: {found})", "nu există niciun cip GPIO cu {wanted} (există: {found})"],
  ["the GPIO chip {path} does not respond", "cipul GPIO {path} nu răspunde"],
  [
    "Check its supply and the wires of its bus",
    "Verificați alimentarea cipului și conductoarele magistralei",
  ],
  ["the GPIO chip {path} cannot be opened: {code}", "cipul GPIO {path} nu poate fi deschis: {code}"],
  ["Add the user to the group gpio", "Adăugați utilizatorul în grupul gpio"],
  [
    "under systemd allow the device in the unit ({setting})",
    "sub systemd, permiteți accesul la dispozitiv în unitatea serviciului ({setting})",
  ],
  [
    "the program that reads GPIO chips cannot be started: {code}",
    "programul care citește cipurile GPIO nu poate fi pornit: {code}",
  ],
  ["Install Perl ({command})", "Instalați Perl ({command})"],
  ["Set gpio.chip to one of the labels found", "Setați gpio.chip la una dintre etichetele găsite"],
  [
    "Set {option} to what santinela gpio list shows",
    "Setați {option} la valoarea afișată de santinela gpio list",
  ],
  ["the label {label}", "eticheta {label}"],
  // Before the next one, whose {device} would fit it too.
  ["the device file {path}", "fișierul de dispozitiv {path}"],
  ["the device {device}", "dispozitivul {device}"],
];
