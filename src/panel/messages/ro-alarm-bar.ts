import type { CatalogueOf } from "./catalogue.ts";
import type { EN_ALARM_BAR } from "./en-alarm-bar.ts";

/** The bar of new alarms, and what the shift of a dispatcher needs besides, in Romanian. */
export const RO_ALARM_BAR: CatalogueOf<typeof EN_ALARM_BAR> = {
  "app.siteTime": "Ora locației {time}",
  "app.siteTimeBoth": "Ora locației {time} (aici {own})",
  "app.centreTime": "Ora dispeceratului {time}",
  "app.centreTimeBoth": "Ora dispeceratului {time} (aici {own})",

  "newAlarms.title": { one: "Alarmă nouă", few: "Alarme noi", other: "Alarme noi" },
  "newAlarms.open": "Deschidere",
  "newAlarms.more": { one: "și încă {n}", few: "și încă {n}", other: "și încă {n}" },
  "newAlarms.dismiss": "Ascundere",
  "newAlarms.sound": "Sunet la alarme noi",
  "newAlarms.press": "Browserul îl redă numai după o apăsare în această pagină.",

  "interventions.aboutObjective": "Despre obiectiv",
  "interventions.otherIsAlarm":
    "O intervenție de tipul „alt tip” se consideră alarmă până când este finalizată.",
};
