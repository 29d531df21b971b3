import type { CatalogueOf } from "./catalogue.ts";
import type { EN_HEADLINE } from "./en-headline.ts";

/** Starea locației și motivele ei în limba română. */
export const RO_HEADLINE: CatalogueOf<typeof EN_HEADLINE> = {
  "headline.alarm": "ALARMĂ",
  "headline.fault": "Deranjament",
  "headline.attention": "Necesită atenție",
  "headline.well": "Totul este în regulă",
  "headline.planned": {
    one: "{n} vizită planificată",
    few: "{n} vizite planificate",
    other: "{n} de vizite planificate",
  },
  "headline.more": { one: "și încă {n}", few: "și încă {n}", other: "și încă {n}" },
  "reason.alarm-unfinished": {
    one: "{n} alarmă nefinalizată",
    few: "{n} alarme nefinalizate",
    other: "{n} de alarme nefinalizate",
  },
  "reason.alarm-unrecorded": {
    one: "{n} declanșare încă neînregistrată ca intervenție",
    few: "{n} declanșări încă neînregistrate ca intervenții",
    other: "{n} de declanșări încă neînregistrate ca intervenții",
  },
  "reason.zone-open": {
    one: "{n} zonă armată deschisă",
    few: "{n} zone armate deschise",
    other: "{n} de zone armate deschise",
  },
  "reason.zone-fault": {
    one: "{n} zonă cu deranjament",
    few: "{n} zone cu deranjament",
    other: "{n} de zone cu deranjament",
  },
  "reason.zone-shut-down": { one: "{n} zonă oprită", few: "{n} zone oprite", other: "{n} de zone oprite" },
  "reason.condition-error": { one: "{n} eroare", few: "{n} erori", other: "{n} de erori" },
  "reason.starting": "După pornire, zonele sunt în curs de citire",
  "reason.condition-warning": {
    one: "{n} avertizare",
    few: "{n} avertizări",
    other: "{n} de avertizări",
  },
  "reason.walk-test": "Test de mers (walk test) activ: nu se transmite nimic",
  "reason.zone-bypassed": {
    one: "{n} zonă în bypass",
    few: "{n} zone în bypass",
    other: "{n} de zone în bypass",
  },
  "reason.work-unfinished": {
    one: "{n} lucrare nefinalizată",
    few: "{n} lucrări nefinalizate",
    other: "{n} de lucrări nefinalizate",
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
  "reason.backlog": {
    one: "{n} înregistrare așteaptă de peste 15 minute transmiterea la dispecerat",
    few: "{n} înregistrări, cea mai veche așteaptă de peste 15 minute transmiterea la dispecerat",
    other: "{n} de înregistrări, cea mai veche așteaptă de peste 15 minute transmiterea la dispecerat",
  },
};
