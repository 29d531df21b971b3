import type { CatalogueOf } from "./catalogue.ts";
import type { EN_HEADLINE } from "./en-headline.ts";

/** The state of the site and its reasons in Romanian. */
export const RO_HEADLINE: CatalogueOf<typeof EN_HEADLINE> = {
  "headline.alarm": "ALARMĂ",
  "headline.fault": "Deranjament",
  "headline.attention": "Necesită atenție",
  "headline.well": "Totul este în regulă",
  "headline.unknown": "Stare necunoscută",
  "headline.expired": "Sesiune expirată",
  "home.offline": "Dispecerat indisponibil de la {time}",
  "alarm.intrusion": "Efracție",
  "alarm.panic": "Alarmă de panică",
  "alarm.holdup": "Jaf armat",
  "alarm.fire": "Alarmă de incendiu",
  "alarm.gas": "Alarmă de gaz",
  "alarm.medical": "Urgență medicală",
  "alarm.flood": "Alarmă de inundație",
  "alarm.technical": "Alarmă tehnică",
  "alarm.power": "Lipsă alimentare",
  "headline.alarms": { one: "{n} alarmă", few: "{n} alarme", other: "{n} de alarme" },
  "headline.supervision": {
    one: "{n} zonă nu comunică",
    few: "{n} zone nu comunică",
    other: "{n} de zone nu comunică",
  },
  "headline.planned": {
    one: "{n} intervenție planificată",
    few: "{n} intervenții planificate",
    other: "{n} de intervenții planificate",
  },
  "headline.more": { one: "și încă {n}", few: "și încă {n}", other: "și încă {n}" },
  "reason.zone-open": {
    one: "{n} zonă deschisă, deși armată",
    few: "{n} zone deschise, deși armate",
    other: "{n} de zone deschise, deși armate",
  },
  "reason.zone-fault": {
    one: "{n} zonă cu deranjament",
    few: "{n} zone cu deranjament",
    other: "{n} de zone cu deranjament",
  },
  "reason.zone-shut-down": {
    one: "{n} zonă blocată automat (swinger)",
    few: "{n} zone blocate automat (swinger)",
    other: "{n} de zone blocate automat (swinger)",
  },
  "reason.condition-error": { one: "{n} eroare", few: "{n} erori", other: "{n} de erori" },
  "reason.entry-delay": "Temporizare la intrare ({n})",
  "reason.starting": "Pornire: se citesc zonele",
  "reason.no-zones": "Încă nicio zonă",
  "reason.no-sites": "Încă nicio locație înrolată",
  "reason.condition-warning": {
    one: "{n} avertizare",
    few: "{n} avertizări",
    other: "{n} de avertizări",
  },
  "reason.zone-bypassed": {
    one: "{n} zonă în bypass",
    few: "{n} zone în bypass",
    other: "{n} de zone în bypass",
  },
  "reason.work-unfinished": {
    one: "{n} intervenție tehnică nefinalizată",
    few: "{n} intervenții tehnice nefinalizate",
    other: "{n} de intervenții tehnice nefinalizate",
  },
  "reason.zone-not-ready": {
    one: "Nu se poate arma: {n} zonă deschisă",
    few: "Nu se poate arma: {n} zone deschise",
    other: "Nu se poate arma: {n} de zone deschise",
  },
  "reason.zone-unknown": {
    one: "{n} zonă fără citire",
    few: "{n} zone fără citire",
    other: "{n} de zone fără citire",
  },
  "reason.battery-low": {
    one: "{n} zonă cu baterie descărcată",
    few: "{n} zone cu baterie descărcată",
    other: "{n} de zone cu baterie descărcată",
  },
  "reason.records-stuck": {
    one: "{n} înregistrare necesită atenție",
    few: "{n} înregistrări necesită atenție",
    other: "{n} de înregistrări necesită atenție",
  },
};
