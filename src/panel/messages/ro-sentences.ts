import type { SentenceCode } from "../../domain/condition-sentence.ts";

/** Frazele condițiilor în limba română; cele englezești vin gata spuse de la daemon. */
export const RO_SENTENCES: Readonly<Record<SentenceCode, string>> = {
  "restart-needed":
    "Opțiuni modificate în fișierul de configurare, care se aplică după repornire: {options}. Până atunci rămân valabile valorile vechi.",
  "upstream-unreachable":
    "Dispeceratul {centre} nu poate fi folosit acum ({answer}). Înregistrările așteaptă și pleacă singure.",
  "upstream-authentication-failed":
    "Dispeceratul {centre} nu primește contul acestui loc ({answer}). Verifică upstream.email și parola. Înregistrările așteaptă și pleacă singure.",
  "upstream-unexpected-service":
    "La {centre} răspunde altceva decât dispeceratul ({answer}). Verifică upstream.baseUrl. Înregistrările așteaptă și pleacă singure.",
  "upstream-rejects-records":
    "Înregistrări refuzate: {rejected}; care așteaptă obiectivul lor la dispecerat: {blocked}; șterse acolo: {gone}. Pagina Sincronizare le arată.",
  "upstream-refuses-alarm":
    "Înregistrări cu prioritate mare refuzate de dispecerat după patru încercări: {rejected}. Niciun echipaj nu știe de ele. Pagina Sincronizare le arată, cu motivul; sună la dispecerat.",
  "upstream-alarm-unproved":
    "Alarme transmise și rămase fără răspuns: {alarms}. Lista dispeceratului nu se poate citi în întregime, deci nu se știe dacă au ajuns. Întreabă dispecerul de intervenția {interventionId}, după nume și oră. Dacă nu o are, retransmite-o din pagina Sincronizare.",
  "upstream-ids-given-again":
    "Înregistrarea {upstreamId} a dispeceratului era intervenția {interventionId} de aici și este acum a altcuiva. Intervenția se caută acolo și, dacă nu este nicăieri, se creează din nou. Întreabă dispeceratul dacă a restaurat o copie.",
  "upstream-reference-lost":
    "Din {sent} caractere în {field}, dispeceratul păstrează {kept} (intervenția {interventionId}), fără referința noastră. Pune upstream.marker pe celălalt text (notes sau description) sau cere dispeceratului texte mai lungi.",
  "upstream-reference-shared":
    "Alt daemon folosește același site.ref, {siteRef}: {records} înregistrări nu sunt create aici ({name}, acolo {upstreamId}). Dă fiecăruia propriul site.ref.",
  "upstream-differs":
    "La dispecerat ar trebui să fie {here} înregistrări și sunt {there}; diferă {differences}. Pagina Sincronizare le arată.",
  "mqtt-unreachable":
    "Brokerul MQTT {broker} nu este conectat ({reason}). Verifică dacă rulează și opțiunile mqtt.url, username și passwordFile; se încearcă din nou la fiecare {seconds} s.",
  "mqtt-session-taken-over":
    "Brokerul MQTT întrerupe imediat fiecare conexiune: probabil o copie a acestei instalații este conectată ca {clientId}. Dă-i fiecăreia propriul mqtt.clientId. Se încearcă din nou peste {minutes} minute; până atunci senzorii de la acest broker nu se aud.",
  "mqtt-subscription-refused":
    "Brokerul nu lasă acest cont să citească {topics}. Dă-i acolo drept de citire, apoi repornește daemonul.",
  "gpio-line-unstable":
    "Linia {line} se schimbă de peste {edges} de ori pe secundă: un fir slăbit, un contact care cedează sau interferențe. Este citită la fiecare {pollMs} ms.",
  "journal-write-failed":
    "Jurnalul declanșărilor nu poate fi scris: {reason}. Eliberează spațiu pe disc sau repară discul.",
  "outbox-write-failed":
    "Coada de trimitere nu poate fi folosită: {reason}. Eliberează spațiu pe disc sau repară discul.",
  "trip-refused": "Declanșarea zonei {zone} a fost refuzată: {reason}. Verifică obiectivul zonei.",
  "zone-open":
    "Zona {zone} este deschisă din {since} și nu apare în nicio intervenție în lucru. Închide-o sau pune-o în bypass.",
  "data-lost":
    "{database} a fost deteriorat: lipsesc {missing} înregistrări, {altered} diferă de ce s-a scris, {pages} pagini nu pot fi citite ({named}). Compară cu dispeceratul, verifică discul, apoi șterge {report}.",
  "trips-off-disk":
    "{changes} declanșări și schimbări ale zonelor sunt în {file}, în memorie, pentru că discul nu le primește ({reason}). O întrerupere a curentului le pierde. Eliberează spațiu pe disc sau înlocuiește-l acum; apoi se scriu automat.",
  "disk-nearly-full": "Pe discul cu {folder} sunt liberi {freeMb} MB. Șterge de acolo ce nu este necesar.",
  "disk-full": "Pe discul cu {folder} sunt liberi {freeMb} MB. Șterge de acolo ce nu este necesar, acum.",
  "backup-overdue": "Cea mai nouă copie a bazei de date este din {newest}. Rulează santinela backup.",
  "certificate-not-renewed": "Certificatul este valabil până la {until} și nu a fost reînnoit.",
};
