import type { CatalogueOf } from "./catalogue.ts";
import type { EN_PLAN } from "./en-plan.ts";

/** Texts of the floor plans, in Romanian. */
export const RO_PLAN: CatalogueOf<typeof EN_PLAN> = {
  "plan.of": "Plan: {name}",
  "plan.floor": "Nivel",
  "plan.alarms": "alarme",
  "plan.edit": "Editare",
  "plan.add": "Plan nou",
  "plan.none":
    "Nu există încă niciun plan. Încărcați o imagine a fiecărui nivel și amplasați zonele pe ea: astfel se vede locul fiecărei alarme.",
  "plan.missing": "Acest plan nu există sau a fost șters.",
  "plan.toPlans": "Toate planurile",
  "plan.askAdministrator": "Un administrator poate încărca unul.",
  "plan.upload": "Încărcare plan",
  "plan.uploadText":
    "Un desen, o scanare sau o fotografie. Se păstrează în baza de date, deci și în copiile de siguranță.",
  "plan.name": "Numele nivelului",
  "plan.nameHint": "De exemplu parter, subsol, curte.",
  "plan.picture": "Imagine",
  "plan.noPicture": "Browserul nu poate deschide acest fișier ca imagine.",
  "plan.show": "Afișare pe plan",
  "plan.zonesHere": "Zone pe acest plan",
  "plan.unplaced": "Zone neamplasate pe plan",
  "plan.intervention": "Intervenția #{id}",
  "plan.unfinished": "alarmă nefinalizată",
  "plan.tested": "Testată",
  "plan.editText": "Apăsați zona, apoi trageți-o la locul ei sau mutați-o cu tastele săgeată.",
  "plan.pin": "{zone}: {x} % de la stânga, {y} % de sus",
  "plan.toPlace": "De amplasat pe plan",
  "plan.unplace": "Eliminare de pe plan: {zone}",
  "plan.save": "Salvare",
  "plan.changedMeanwhile":
    "Alt utilizator a modificat între timp: {changed}. Nu s-a salvat nimic. Salvați din nou pentru a-i înlocui modificarea sau anulați pentru a o vedea.",
  "plan.changedAgain":
    "Alt utilizator a modificat între timp acest plan. Nu s-a salvat nimic; planul a fost citit din nou. Repetați modificarea.",
  "plan.replace": "Înlocuire imagine",
  "plan.replaced": "Imaginea a fost înlocuită; zonele rămân la locul lor.",
  "plan.remove": "Ștergere plan",
  "plan.removeQuestion": "Ștergeți planul {name}?",
  "plan.removeText": "Se șterg imaginea și pozițiile zonelor de pe plan. Zonele rămân.",
};
