import type { CatalogueOf } from "./catalogue.ts";
import type { EN_EMPTY } from "./en-empty.ts";

/** What belongs on a screen that has nothing yet, and where no filter fits, in Romanian. */
export const RO_EMPTY: CatalogueOf<typeof EN_EMPTY> = {
  "interventions.none": "Nu există încă nicio intervenție. Fiecare alarmă creează una.",
  "interventions.noneFound": "Nicio intervenție nu corespunde filtrelor.",
  "objectives.none":
    "Niciun obiectiv de acest tip. Obiectivele provin de la dispecerat sau din configurație.",
  "objectives.noneFound": "Niciun obiectiv găsit.",
  "objectives.all": "Toate obiectivele",
  "events.noneFound": "Niciun eveniment încărcat nu corespunde filtrelor.",
  "events.all": "Toate evenimentele",
  "sync.nothingQueued": "Nicio înregistrare în așteptare.",
  "sync.receiverOnly":
    "Această locație nu are dispecerat, deci nu se transmit înregistrări. Receptorul de monitorizare primește evenimentele.",
  "sync.standalone": "Această locație funcționează fără dispecerat, deci nu se transmite nimic.",
  "sites.all": "Toate locațiile",
  "walk.noZones": "Pentru un test de mers este necesară cel puțin o zonă.",
  "walk.noneRunning": "Niciun test de mers în desfășurare. Numai un operator îl poate porni.",
  "missing.title": "Ecran inexistent",
  "missing.text": "Acest ecran nu există sau acest cont nu îl poate deschide.",
};
