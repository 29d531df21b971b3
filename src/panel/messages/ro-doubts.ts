import type { CatalogueOf } from "./catalogue.ts";
import type { EN_DOUBTS } from "./en-doubts.ts";

/** What to check in a proposed zone, in Romanian. */
export const RO_DOUBTS: CatalogueOf<typeof EN_DOUBTS> = {
  "doubt.computed-value":
    "Valoarea este calculată ({template}): verificați calea și valorile care înseamnă deschis și normal.",
  "doubt.no-device-class": "Echipamentul nu își raportează clasa (device class).",
  "doubt.kind-guessed": "Echipamentul nu raportează ce fel de contact este: verificați tipul zonei.",
  "doubt.check-contact": "Verificați ce valoare înseamnă deschis: depinde de cablaj.",
  "doubt.telemetry-only":
    "Schimbarea se raportează numai cu telemetria periodică. Setați {option} pe echipament, pentru raportare imediată.",
  "doubt.press-mode":
    "Intrarea raportează apăsări, ca un buton ({mode}). Pentru un contact, setați {option} pe echipament.",
  "doubt.radio-code":
    "Zona se deschide la codul {code} și revine la normal după autoRestoreS. Verificați dacă senzorul transmite acest cod. Dacă transmite un cod și la închidere, adăugați-l la „Valori pentru normal”.",
  "doubt.frigate-release":
    "Mesajele „reviews” există începând cu Frigate 0.14, iar până acum nu a sosit niciunul. La o versiune mai veche folosiți zona care citește „events”; altfel, pe cea care citește „reviews”.",
  "doubt.frigate-availability":
    "Această versiune de Frigate raportează doar dacă detecția este pornită: o cameră defectă este considerată în continuare disponibilă. Versiunile mai noi raportează defectarea: actualizați Frigate și căutați din nou.",
  "doubt.notifications-off":
    "Echipamentul nu raportează schimbările. Activați {option} în setările MQTT ale echipamentului.",
  "doubt.wake-up-reports":
    "Unele versiuni de firmware raportează „deschis” timp de 1–2 s la trezire; timpul de confirmare filtrează aceste semnale, dar și deschiderile scurte.",
  "doubt.button-restores-itself": "Butonul nu transmite eliberarea: zona revine la normal după autoRestoreS.",
  "doubt.gate-for-others":
    "Zona se deschide când centrala raportează o alarmă. Pentru ca declanșările zonelor altor echipamente să se transmită doar cât timp centrala este armată, adăugați gate: {gate}",
  "doubt.gate-of-panel":
    "Declanșările zonei se transmit doar cât timp centrala este armată ({topic}). Scoateți armed_home și armed_night din condiția de armare dacă persoanele din clădire trec prin zonă.",
  "doubt.vibration-tamper":
    "Vibrațiile se raportează ca sabotaj, iar o ușă trântită îl poate declanșa: dacă se întâmplă acest lucru, goliți câmpul „Sabotaj”.",
  "doubt.tamper-only":
    "La acest echipament este recunoscut doar sabotajul: dacă detectează și altceva, adăugați o zonă care citește acea valoare.",
  "doubt.tamper-computed":
    "Sabotajul este calculat ({template}): verificați-l, iar dacă lipsește, adăugați-l.",
  "doubt.tamper-of-zone":
    "Zona {zone} citește deja acest sabotaj: ștergeți-l acolo înainte să adăugați această zonă, altfel l-ar raporta ambele.",
  "doubt.battery-left-out":
    "Echipamentul raportează o baterie descărcată, dar nu și revenirea la normal; de aceea starea bateriei nu se preia.",
  "doubt.zones-confirm":
    "Fiecare zonă a acestei centrale este considerată un echipament separat, deci două zone confirmă o alarmă. Pentru zonele care nu trebuie să se confirme între ele, de exemplu alarma centralei și detectoarele ei, introduceți aceeași valoare la „Echipament”.",
  "doubt.codes-one-device":
    "Codurile de pe acest topic sunt considerate un singur echipament, deci două dintre ele nu confirmă o alarmă. Introduceți pentru fiecare detector altă valoare la „Echipament”.",
  "doubt.availability-left-out":
    "O zonă citește propria disponibilitate și pe cea a unui singur gateway. Aceste topicuri sunt omise: {topics}",
  "doubt.press-repeated":
    "Echipamentul repetă ultima apăsare la fiecare actualizare periodică, iar fiecare repetare declanșează zona. Setați {option} pe echipament.",
  "doubt.supervised-weekly":
    "Echipamentul raportează numai apăsări: după o săptămână fără apăsări se consideră că nu mai comunică. Apăsați-l o dată pe săptămână sau modificați „Interval maxim fără mesaje (s)”.",
  "doubt.missed-while-offline":
    "O schimbare din timpul unei întreruperi a conexiunii nu mai este raportată ulterior. Setați {option} pe echipament: telemetria lui repetă starea.",
  "doubt.missed-on-events":
    "O schimbare din timpul unei întreruperi a conexiunii nu mai este raportată ulterior. Activați {option} pe echipament și căutați din nou: zona se citește atunci de pe un topic care repetă starea.",
  "doubt.rain":
    "Senzorul este setat să raporteze ploaia: alegeți alt tip de zonă sau setați-l pe detectarea scurgerilor de apă.",
};
