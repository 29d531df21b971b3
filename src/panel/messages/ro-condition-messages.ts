import type { SentenceCode } from "../../domain/condition.ts";

/** Condition messages in Romanian; the daemon sends the English ones. */
export const RO_CONDITION_MESSAGES: Readonly<Record<SentenceCode, string>> = {
  "restart-needed":
    "Opțiuni modificate în fișierul de configurare, care se aplică după repornire: {options}. Până atunci rămân active valorile vechi. Reporniți serviciul sau anulați modificarea și rulați santinela reload.",
  "upstream-unreachable":
    "Dispeceratul {centre} este indisponibil ({answer}). Înregistrările rămân în coadă și se transmit automat.",
  "upstream-authentication-failed":
    "Dispeceratul {centre} respinge contul acestei locații ({answer}). Corectați upstream.email și fișierul din upstream.passwordFile, apoi rulați santinela reload. Înregistrările rămân în coadă și se transmit automat.",
  "upstream-unexpected-service":
    "La {centre} răspunde alt serviciu decât dispeceratul ({answer}). Verificați upstream.baseUrl. Înregistrările rămân în coadă și se transmit automat.",
  "upstream-rejects-records":
    "Înregistrări respinse: {rejected}; cu obiectiv lipsă la dispecerat: {blocked}; șterse de dispecerat sau inaccesibile: {gone}. Lista este în ecranul Sincronizare.",
  "upstream-rejects-alarm":
    "Alarme pe care dispeceratul nu le acceptă, deși conexiunea este activă: {rejected}. Considerați că niciun echipaj nu a fost anunțat. Sunați la dispecerat; motivul este în ecranul Sincronizare.",
  "upstream-alarm-unproved":
    "Alarme transmise, dar neconfirmate: {alarms}. Lista dispeceratului nu poate fi citită în întregime sau nu le conține, deci nu se știe dacă au ajuns. Verificați împreună cu dispecerul, după nume și oră, intervenția {interventionId}. Dacă lipsește, retransmiteți-o din ecranul Sincronizare.",
  "upstream-ids-given-again":
    "Numărul {upstreamId} de la dispecerat, al intervenției {interventionId}, aparține acum altei înregistrări, care nu se modifică. Intervenția se caută la dispecerat și, dacă lipsește, se creează din nou. Întrebați dispeceratul dacă a restaurat o copie de siguranță sau dacă refolosește numerele.",
  "upstream-reference-lost":
    "Dispeceratul nu păstrează referința locației în {field} (intervenția {interventionId}, caractere păstrate: {kept} din {sent}): înregistrările se identifică doar după obiectiv, nume și început. Setați upstream.marker la celălalt câmp (notes sau description) sau cereți dispeceratului câmpuri mai lungi.",
  "upstream-notes-cut":
    "Dispeceratul scurtează notele intervenției {interventionId} (caractere păstrate: {kept} din {sent}). Rândurile pierdute ale unei declanșări adăugate la o intervenție se transmit într-o intervenție separată. Cereți dispeceratului note mai lungi.",
  "upstream-reference-shared":
    "Altă instalație folosește același site.ref, {siteRef}, și fiecare preia înregistrările celeilalte. Înregistrări la dispecerat care nu provin de aici: {records} ({name}, numărul {upstreamId}). Setați un site.ref unic pentru fiecare locație.",
  "upstream-rejects-reports":
    "Dispeceratul {centre} respinge rapoartele acestei locații, {siteRef}: {answer}. Înregistrările se transmit, dar pentru dispecerat locația nu mai comunică. Dacă site.ref a fost schimbat, setați din nou valoarea veche sau cereți administratorului dispeceratului o nouă înrolare.",
  "upstream-not-compared":
    "De o zi, lista dispeceratului nu poate fi citită în întregime ({code}): o înregistrare care lipsește acolo sau apare de două ori poate rămâne neobservată. Contul acestei locații trebuie să vadă doar înregistrările ei; întrebați dispeceratul despre listă.",
  "upstream-list-too-large":
    "Dispeceratul {centre} trimite o listă de peste {limitMb} MiB, pe care acest dispozitiv nu o citește. Alarmele se transmit, dar înregistrările nu se compară cu lista, iar una rămasă fără răspuns nu poate fi găsită în ea. Contul acestei locații trebuie să vadă doar înregistrările ei; altfel, cereți dispeceratului să trimită lista pe pagini (_start, _end).",
  "upstream-list-postponed":
    "Serviciul s-a oprit de două ori în timp ce citea o listă mare a dispeceratului {centre}. Timp de o oră nu citește nicio listă de peste {limitMb} MiB; apoi le citește din nou, de la sine. Alarmele se transmit, dar înregistrările nu se compară cu lista, iar una rămasă fără răspuns nu poate fi găsită în ea. Dacă situația se repetă, contul acestei locații trebuie să vadă doar înregistrările ei; altfel, cereți dispeceratului să trimită lista pe pagini (_start, _end).",
  "upstream-differs":
    "Înregistrări așteptate la dispecerat: {here}; găsite: {there}; diferite: {differences}. Lista este în ecranul Sincronizare.",
  "objective-names-differ":
    "Dispeceratul are alte denumiri pentru obiective ale zonelor (configurație ≠ dispecerat): {objectives}. Același ID poate fi acolo o altă clădire, iar echipajul ar ajunge la adresa ei. Comparați adresele cu dispeceratul. Apoi corectați obiectivul zonelor sau denumirea lui din secțiunea objectives a configurației.",
  "objective-missing":
    "Lista dispeceratului nu conține obiective ale zonelor: {objectives}. Declanșările acestor zone rămân în așteptare aici și niciun echipaj nu este trimis. Cereți dispeceratului să adauge obiectivul sau să permită contului acestei locații să îl folosească, apoi rulați santinela objectives pull. Dacă ID-ul este greșit, corectați obiectivul zonelor.",
  "objectives-mirror-stale": "Lista de obiective a dispeceratului ({type}) {what}. {fallback} {remedy}",
  "mqtt-unreachable":
    "Nu există conexiune cu brokerul MQTT {broker} ({reason}). Verificați dacă brokerul funcționează și dacă mqtt.url, username și passwordFile sunt corecte. Se reîncearcă la fiecare {seconds} s.",
  "mqtt-session-taken-over":
    "Brokerul MQTT închide imediat fiecare conexiune: probabil alt program sau o copie a acestei instalații folosește același client id, {clientId}. Setați un mqtt.clientId unic pentru fiecare. Se reîncearcă peste {minutes} min; până atunci nu se primesc mesaje de la acest broker.",
  "mqtt-client-id-temporary":
    "Client id-ul MQTT al acestei instalații nu poate fi folosit: {reason}. Până la următoarea pornire se folosește unul temporar; mesajele păstrate de broker pentru client id-ul salvat sosesc abia după acea pornire. Corectați fișierul sau eliberați spațiu pe disc, apoi reporniți serviciul.",
  "mqtt-subscription-refused":
    "Brokerul nu permite acestui cont să citească {topics}. Acordați contului drept de citire, apoi reporniți serviciul.",
  "mqtt-retained-stale":
    "Brokerul păstrează mesaje vechi ca reținute (retained), dar nu și mesajele mai noi. Topicuri: {count} ({topics}). După fiecare întrerupere, mesajul vechi poate declanșa, restabili sau arma o zonă; nu o dezarmează. Ștergeți-l (mosquitto_pub -r -n -t {topic}) sau configurați echipamentul să publice mesaje reținute (retained).",
  "mqtt-topics-at-limit":
    "Peste {max} de topicuri pentru {of} au fost active simultan, mai multe decât pot avea senzorii. Starea raportată astfel, de exemplu deschis sau armat, nu se mai încheie prin mesaje. Aflați ce client publică aceste topicuri (mqtt-topic-active în jurnalul tehnic) și limitați-i contul. Apoi setați pentru zonă sau pentru condiția de armare un topic mai restrâns sau dezactivați zonele respective, reîncărcați configurația și activați-le din nou.",
  "mqtt-device-renamed":
    "Senzorul zonei {zone} se numește acum {name} în gateway: pe {topic} nu mai sosește nimic, iar zona nu este monitorizată. Setați topicul zonei la {newTopic} sau redați senzorului numele anterior.",
  "mqtt-device-removed":
    "Gatewayul zonei {zone} nu mai are un senzor pentru {topic}: a fost scos din rețea sau are alt nume. Zona nu este monitorizată. Adăugați din nou senzorul cu numele anterior, corectați topicul zonei sau ștergeți zona.",
  "alarm-panel-receiver-down":
    "Receptorul nu poate porni la adresa {address}: {reason}. Mesajele centralelor de alarmă nu se primesc. Corectați dc09.host și dc09.port sau opriți programul care folosește portul. Se reîncearcă la fiecare 10 s.",
  "monitoring-receiver-unreachable":
    "Receptorul de monitorizare {receiver} nu răspunde: {reason}. Alarmele se transmit la următorul receptor sau rămân în coadă; se reîncearcă automat. Verificați adresa și portul receptorului, rețeaua și firewallul.",
  "monitoring-receiver-rejects":
    "Receptorul de monitorizare {receiver} nu acceptă mesajele acestei locații: {answer}. Verificați contul și cheia împreună cu operatorul receptorului; evenimentele se retransmit până când sunt acceptate.",
  "monitoring-receiver-supervision":
    "Receptorul de monitorizare {receiver} acceptă alarmele, dar respinge mesajele de supraveghere (DUH). Dacă operatorul său nu așteaptă astfel de mesaje, setați pollS: 0 pentru acest receptor.",
  "monitoring-receiver-clock":
    "Ceasul receptorului de monitorizare {receiver} diferă cu {seconds} s de cel al dispozitivului. Mesajele se transmit cu ora receptorului. Verificați ora acestui dispozitiv (timedatectl); dacă este corectă, anunțați operatorul receptorului.",
  "transmitter-write-failed":
    "Coada pentru receptorul de monitorizare nu poate fi folosită: {reason}. Alarmele rămân în jurnalul declanșărilor. Eliberați spațiu pe disc sau înlocuiți discul.",
  "alarm-panel-silent":
    "Centrala de alarmă {account} nu a transmis nimic de {seconds} s, nici măcar mesajul de supraveghere (polling). Verificați alimentarea, rețeaua și adresa receptorului setată în centrală.",
  "alarm-panel-refused":
    "Niciun mesaj al centralei de alarmă {account} nu a fost acceptat în ultimele {seconds} s: s-a depășit o limită a receptorului ({limits}). Centrala retransmite mesajele. Căutați echipamentul care deschide multe conexiuni sau trimite multe mesaje; limitele sunt în /usr/share/doc/santinela/docs/panels.md.",
  "alarm-panel-trouble":
    "Centrala de alarmă {account} raportează un deranjament (cod {code}) la zona sau modulul {number}. Lista codurilor este în /usr/share/doc/santinela/docs/panels.md.",
  "alarm-panel-bypass":
    "Zona {number} este în bypass la centrala de alarmă {account} (cod {code}): centrala nu transmite alarmele acestei zone. Anulați bypassul la centrala de alarmă.",
  "alarm-panel-code-unknown":
    'Centrala de alarmă {account} a transmis codul {code}, care nu există în standard. Apare numai în jurnalul de evenimente. Întrebați producătorul ce înseamnă; pentru a genera o alarmă, adăugați o zonă cu codes: ["{code}"].',
  "gpio-line-unstable":
    "Linia {line} este instabilă (schimbări pe secundă: peste {edges}). Cauze posibile: fir desfăcut la borne, contact defect sau interferențe. Se citește la fiecare {pollMs} ms; detectarea fronturilor se reia automat.",
  "key-switch-unstable":
    "Comutatorul cu cheie de la linia {line} nu rămâne într-o poziție. Cauze posibile: interferențe, fir desfăcut la borne sau contact defect. Zonele lui sunt armate până când rămâne cinci secunde într-o poziție. Verificați bornele, cablul și rezistența de pull-up.",
  "loop-out-of-range":
    "Rezistența buclei zonei {zone} este de {ohms} Ω: nu corespunde nici stării normale ({normal} Ω), nici alarmei ({alarm} Ω), nici unui scurtcircuit sau unei întreruperi. Contactul ei nu este monitorizat. Verificați rezistențele, bornele și cablul, precum și pullUp și supplyV; valoarea actuală este în ecranul Zone.",
  "on-battery":
    "Tensiunea de rețea lipsește de la {since}. Dispozitivul se oprește înainte de descărcarea acumulatorului, conform secțiunii onBattery; din acel moment zonele nu mai sunt monitorizate.",
  "power-off-failed":
    "Tensiunea de rețea lipsește, iar dispozitivul nu poate fi oprit: {reason}. Serviciul funcționează până la descărcarea acumulatorului. Acordați utilizatorului serviciului dreptul de a opri dispozitivul, conform /usr/share/doc/santinela/docs/wiring.md.",
  "output-failed":
    "Ieșirea {output} nu poate fi comutată: {reason}. Se reîncearcă la fiecare cinci secunde; starea se afișează cu santinela outputs list.",
  "journal-write-failed":
    "Nu se poate scrie în jurnalul declanșărilor: {reason}. Eliberați spațiu pe disc sau înlocuiți discul.",
  "outbox-write-failed":
    "Coada de transmitere nu poate fi folosită: {reason}. Eliberați spațiu pe disc sau înlocuiți discul.",
  "trip-refused": "Declanșarea zonei {zone} a fost respinsă: {reason}. Verificați obiectivul zonei.",
  "zone-open":
    "Zona {zone} este deschisă de la {since} și nu apare în nicio intervenție nefinalizată. Readuceți contactul la starea normală sau puneți zona în bypass.",
  "data-lost":
    "Fișierul {database} a fost deteriorat. Date lipsă: {missing}; modificate: {altered}; pagini deteriorate: {pages} ({named}). Comparați cu dispeceratul, verificați discul, apoi ștergeți {report}.",
  "trips-off-disk":
    "Declanșări și schimbări de stare păstrate numai în memorie, în {file}: {changes}. Nu se poate scrie în jurnalul declanșărilor ({reason}). La o pană de curent se pierd. Se salvează automat imediat ce este posibil: dacă discul este plin, eliberați spațiu; dacă este defect, înlocuiți-l; dacă fișierul este blocat, opriți procesul care îl folosește; dacă este deteriorat, serviciul repornește automat și îl recuperează.",
  "disk-nearly-full":
    "Spațiu liber pe discul cu {folder}: {freeMb} MB. Ștergeți fișierele inutile; quarantine/ are {quarantineMb} MB.",
  "disk-full":
    "Spațiu liber pe discul cu {folder}: {freeMb} MB. Sub 16 MB, intervențiile noi cu prioritate scăzută sau medie sunt respinse; alarmele se salvează în continuare. Ștergeți fișierele inutile.",
  "database-damaged":
    "{problem}. Datele din paginile deteriorate nu pot fi citite. Serviciul repornește automat în cel mult zece minute, recuperează ce se poate și transmite din nou declanșările. Dacă mesajul persistă, reporniți serviciul. Verificați discul.",
  "storage-volatile":
    "{folder} este pe {fileSystem}, adică în memorie: înregistrările, declanșările și conturile se pierd la următoarea pornire sau pană de curent. Dezactivați sistemul de fișiere overlay (raspi-config) sau setați dataDir la un director de pe un disc.",
  "configuration-volatile":
    "{folder} este pe {fileSystem}, adică în memorie: zonele modificate, parolele și înrolarea la dispecerat se pierd la următoarea pornire sau pană de curent. Dezactivați sistemul de fișiere overlay (raspi-config) sau montați acest director de pe un disc.",
  "machine-unknown":
    "Datele acestei locații au fost create pe alt dispozitiv. Au fost create chei noi și nu se transmite nimic la dispecerat; între timp, comunicați dispeceratului alarmele, prin telefon. Dacă acest dispozitiv îl înlocuiește pe celălalt, rulați santinela machine confirm. Dacă ați copiat cardul pentru altă locație, setați un site.ref propriu, opriți serviciul și rulați santinela factory-reset.",
  "release-returned":
    "Versiunea {version} nu a funcționat corect după instalare; în prezent este activă versiunea anterioară. Motivul se afișează cu journalctl --unit=santinela --unit=santinela-centre. Instalați o versiune mai nouă. Pentru a reîncerca aceeași versiune: apt install --reinstall santinela.",
  "backup-overdue":
    "De la {since} nu s-a mai făcut nicio copie de siguranță a bazei de date. Rulați santinela backup pentru a afla motivul.",
  "sites-silent":
    "Locații care nu mai comunică din același moment: {sites}. Căutați întâi o cauză comună: furnizorul de comunicații sau conexiunea dispeceratului. Fiecare are o intervenție cu prioritate scăzută; locațiile se afișează cu santinela sites.",
  "silent-sites-unknown":
    "De la {since}, la acest dispecerat se pierd repetat rapoarte, deci nu se poate stabili care locații nu mai comunică. Verificați dacă un proces repornește repetat sau dacă baza de date este suprasolicitată (santinela status, journalctl --unit=santinela --unit=santinela-centre).",
  "configurations-differ":
    "Alt proces al acestui dispecerat are alte valori pentru {options}. Ce se aplică unei locații sau unei înregistrări depinde astfel de procesul la care ajunge. Folosiți același centre.yaml pe toate serverele și reporniți fiecare proces.",
  "site-writes-limited":
    "Locația {site} scrie mult mai multe înregistrări decât este normal pentru o locație, așa că unele cereri ale ei sunt respinse temporar; celelalte locații nu sunt afectate. Aflați cauza (santinela sites). Dacă dispozitivul ei a fost furat, dezactivați-i contul: santinela user disable.",
  "database-unavailable":
    "Baza de date comună a acestui dispecerat nu are un server principal accesibil: {reason}. Cererile primesc răspunsul 503, iar locațiile le repetă. Funcționarea se reia automat. Verificați PostgreSQL și conexiunea cu el.",
  "thread-failed":
    "Firul de execuție {thread} s-a oprit: {reason}. Este repornit automat, iar declanșările se păstrează până pornește. Dacă se oprește mereu, alarmele ajung târziu la dispecerat: anunțați-le prin telefon. Trimiteți dezvoltatorilor un pachet pentru suport (santinela support-bundle).",
  "key-damaged":
    "{file} era deteriorat. S-a păstrat ca {kept} și s-a creat unul nou. Dacă este ca.key sau ca.crt, instalați noua autoritate de certificare (santinela cert --ca) pe fiecare telefon și calculator care deschide panoul web; dacă este token-signing.key, toți utilizatorii trebuie să se autentifice din nou. Apoi ștergeți {kept}.",
  "clock-not-set":
    "Ora acestui dispozitiv nu este confirmată: niciun server de timp nu a răspuns, iar ceasul de timp real lipsește sau indică altă oră. Până la confirmare, intervențiile nu au oră de început, iar zonele cu program orar sunt armate permanent. Verificați rețeaua și serverul de timp (timedatectl timesync-status) sau montați o baterie pentru ceasul de timp real. Fără server de timp, setați ora și ceasul de timp real (timedatectl set-time) sau dezactivați serviciul de timp.",
  "certificate-not-renewed":
    "Certificatul este valabil până la {until} și nu a fost reînnoit. Cu tls: own, rulați santinela cert; altfel, reînnoiți fișierele din http.tls.",
  "certificate-incomplete":
    "Autoritatea de certificare a acestei instalații nu poate emite certificate pentru {names}; browserele nu au încredere în panoul web sub aceste nume. Folosiți alt nume sau rulați santinela cert --new-authority și instalați noua autoritate pe fiecare telefon și calculator care deschide panoul web.",
};
