import type { CatalogueOf } from "./catalogue.ts";
import type { EN_CONDITIONS } from "./en-conditions.ts";

/** Condițiile în limba română. */
export const RO_CONDITIONS: CatalogueOf<typeof EN_CONDITIONS> = {
  "condition.mqtt-unreachable": "Brokerul MQTT nu răspunde",
  "condition.mqtt-broker-not-listening": "Brokerul MQTT propriu nu ascultă",
  "condition.mqtt-broker-at-limit": "Brokerul MQTT propriu a ajuns la o limită",
  "condition.mqtt-subscription-refused": "Abonare MQTT refuzată de broker",
  "condition.gpio-unavailable": "GPIO indisponibil",
  "condition.gpio-line-failed": "O linie GPIO nu poate fi citită",
  "condition.gpio-line-storm": "O linie GPIO oscilează",
  "condition.journal-write-failed": "Jurnalul declanșărilor nu poate fi scris",
  "condition.dispatch-failing": "Declanșările așteaptă interfața locală",
  "condition.trip-refused": "Declanșare refuzată de interfața locală",
  "condition.upstream-unreachable": "Dispeceratul nu răspunde",
  "condition.upstream-sign-in-refused": "Dispeceratul refuză autentificarea",
  "condition.upstream-not-the-interface": "La adresa dispeceratului răspunde altceva",
  "condition.upstream-refuses-records": "Dispeceratul refuză înregistrări",
  "condition.objectives-not-mirrored": "Obiectivele dispeceratului nu au fost preluate",
  "condition.outbox-write-failed": "Coada de trimitere nu poate fi scrisă",
  "condition.http-address-missing": "Adresa interfeței locale lipsește",
  "condition.certificate-not-renewed": "Certificatul nu a fost reînnoit",
  "condition.control-socket-unavailable": "Socketul de control este indisponibil",
  "condition.restart-needed": "O parte a configurației necesită repornire",
  "condition.configuration-broken": "Configurația are greșeli; rulează ultima copie bună",
  "condition.mqtt-client-id-shared": "Identificator MQTT folosit de două ori",
  "condition.mqtt-broker-drops-messages": "Brokerul MQTT pierde mesaje",
  "condition.database-recovered": "Baza de date a fost refăcută dintr-o copie",
  "condition.disk-nearly-full": "Discul este aproape plin",
  "condition.disk-full": "Discul este plin",
  "condition.restore-failed": "O copie nu a putut fi restaurată",
  "condition.backup-failed": "Copia de siguranță nu a reușit",
};
