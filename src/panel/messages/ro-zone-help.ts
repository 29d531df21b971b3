import type { ZoneHelpKey } from "./en-more.ts";

/** The descriptions of the options of a zone in Romanian; the English ones are those of the schema. */
export const RO_ZONE_HELP: Readonly<Record<ZoneHelpKey, string>> = {
  "zoneHelp.id": "Numele scurt al zonei, folosit în comenzi și în jurnale: litere mici, cifre, - și _.",
  "zoneHelp.name": "Numele zonei în texte; nu poate fi gol și nu poate conține caractere de control.",
  "zoneHelp.kind": "Tipul zonei: ce detectează.",
  "zoneHelp.objective": "Obiectivul căruia îi aparține zona.",
  "zoneHelp.profile": "Profilul declanșărilor; implicit, cel al tipului de zonă.",
  "zoneHelp.input": "Sursa citirilor.",
  "zoneHelp.debounceMs":
    "Cât timp trebuie să rămână stabil nivelul pentru a fi luat în considerare, în milisecunde. Implicit 50 pentru GPIO, 0 pentru zone MQTT și simulate.",
  "zoneHelp.minOpenMs":
    "Cât timp trebuie să rămână deschis contactul pentru o declanșare, în milisecunde. Implicit 250 pentru GPIO (20 pentru panică), altfel 0. Peste 400 numai cu „Contacte lente permise”.",
  "zoneHelp.confirmMs":
    "După cât timp un contact rămas deschis declanșează zona, în milisecunde; filtrează semnalele false ale senzorilor cu baterie.",
  "zoneHelp.autoRestoreS":
    "Zona revine automat la normal după acest număr de secunde, pentru senzori care nu transmit restabilirea.",
  "zoneHelp.tamper": "De unde se citește semnalul de sabotaj.",
  "zoneHelp.battery": "De unde se citește starea bateriei.",
  "zoneHelp.availability":
    "De unde se citește disponibilitatea senzorului, raportată de senzor sau de gateway.",
  "zoneHelp.bridge":
    "De unde se citește disponibilitatea gatewayului; dacă gatewayul nu mai comunică, apare un singur deranjament, nu câte unul pentru fiecare zonă.",
  "zoneHelp.gate":
    "Condiția de armare. Cu un mesaj sau un comutator cu cheie, open (contact deschis) înseamnă armată; până la prima citire zona este armată. Nu se aplică zonelor de incendiu, gaz, urgență medicală, jaf armat și panică: declanșările lor se transmit întotdeauna.",
  "zoneHelp.entryDelayS":
    "Declanșarea se înregistrează imediat și se transmite după acest număr de secunde; se anulează dacă zona se dezarmează între timp. EN 50131 permite cel mult 45 s. Nu se aplică zonelor de incendiu, gaz, urgență medicală, jaf armat și panică.",
  "zoneHelp.whenArmedOpen":
    "Ce urmează dacă zona este deschisă la armare, la sfârșitul unui bypass sau al unui test de mers ori la finalizarea intervenției ei: o intervenție de inspecție cu zonele deschise, o declanșare sau numai o avertizare. Zonele de incendiu, gaz, urgență medicală, jaf armat și panică se declanșează întotdeauna.",
  "zoneHelp.device":
    "Numele echipamentului cu acest contact: două semnale ale aceluiași echipament nu se confirmă reciproc. Implicit, zonele de pe un topic MQTT aparțin aceluiași echipament.",
  "zoneHelp.confirmWith":
    "Zonele care o confirmă pe aceasta. Implicit, zonele de aceeași clasă ale altor echipamente de la același obiectiv, în intervalul site.incidentWindowS.",
  "zoneHelp.swinger":
    "Blocarea automată a unei zone care se declanșează repetat (swinger); false o dezactivează. Nu se aplică zonelor de incendiu, gaz, urgență medicală, jaf armat și panică.",
  "zoneHelp.powerUpDelayS":
    "Întârziere la punerea sub tensiune: câte secunde după pornirea dispozitivului se ignoră deschiderile unei linii GPIO. Implicit 60; 5 pentru incendiu, panică, jaf armat și urgență medicală.",
  "zoneHelp.supervisionTimeoutS":
    "După câte secunde fără niciun mesaj apare deranjamentul „Nu comunică”. Implicit 93600 (26 de ore) pentru o zonă cu secțiunea battery, deoarece senzorii cu baterie raportează cel puțin o dată la 25 de ore; altfel niciodată. 900 este potrivit pentru majoritatea senzorilor alimentați de la rețea.",
  "zoneHelp.unavailableGraceS": "După câte secunde de indisponibilitate a senzorului apare deranjamentul.",
  "zoneHelp.disabled": "Zona rămâne în fișier, fără a fi monitorizată.",
  "zoneHelp.allowSlow":
    "Permite o durată minimă de deschidere peste 400 ms. EN 50131 cere ca un semnal de 400 ms să fie prelucrat.",
  "zoneHelp.input.gpio": "Numărul liniei pe cipul ei: pe un Raspberry Pi, numărul BCM.",
  "zoneHelp.input.chip": "Numele cipului din gpio.chips; implicit, cipul din gpio.chip.",
  "zoneHelp.input.contact":
    "NC: bucla este închisă în stare normală, deci un fir tăiat declanșează zona. NO: este deschisă în stare normală.",
  "zoneHelp.input.bias":
    "Rezistența internă a liniei (pull-up sau pull-down); necesită backendul cdev. Pentru onoff adăugați gpio=<linie>=ip,pu în config.txt și lăsați rezistența „neschimbată”.",
  "zoneHelp.input.mqtt":
    "Topicul exact sau cu + pentru un nivel; # numai ca ultim nivel, după cel puțin două niveluri fără caractere speciale. Cu mai multe topicuri, zona este deschisă cât timp oricare dintre ele transmite valoarea pentru deschis, dacă nu este setat oneSensor.",
  "zoneHelp.input.path":
    "JSON Pointer către valoarea din mesaj; fără el, valoarea este întregul mesaj. O cale printr-o listă fără index (/params/events/event) tratează fiecare element ca mesaj separat, în ordine.",
  "zoneHelp.input.bits":
    "Pentru un număr ai cărui biți sunt stări separate: suma biților luați în considerare. Ceilalți biți devin 0 înainte de comparare; o valoare care nu este un număr întreg pozitiv sau 0 este ignorată.",
  "zoneHelp.input.where":
    "Condiții care trebuie îndeplinite toate; altfel mesajul nu privește zona și nu confirmă că senzorul funcționează. Dacă path trece printr-o listă, condițiile se aplică fiecărui element.",
  "zoneHelp.input.open":
    "Valorile care înseamnă deschis. La texte nu se face diferența între majuscule și minuscule; numerele și valorile true/false se compară după valoare.",
  "zoneHelp.input.normal": "Valorile care înseamnă normal; implicit, orice altă valoare.",
  "zoneHelp.input.oneSensor":
    "Dacă toate topicurile din mqtt sunt ale aceluiași senzor, de exemplu un senzor Bluetooth pe care îl recepționează mai multe gatewayuri: contează cel mai nou mesaj, indiferent de topic, inclusiv pentru sabotajul și bateria zonei.",
};
