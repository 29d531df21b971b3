import type { Catalogue } from "./catalogue.ts";
import { RO_HEADLINE } from "./ro-headline.ts";
import { RO_HOME } from "./ro-home.ts";
import { RO_SHARED } from "./ro-shared.ts";

/** The panel's texts in Romanian: polite plural in sentences, nouns on buttons and titles. */
export const RO: Catalogue = {
  "app.name": "Santinela",
  "app.skip": "Salt la conținut",
  "app.menu": "Ecrane",
  "app.loading": "Se încarcă…",
  "app.noResponse": "Serviciul nu răspunde. Reîncercați.",
  "app.retry": "Reîncercare",
  "app.language": "Limba",
  "app.signOut": "Deconectare",
  "app.undo": "Anulare acțiune",

  "live.starting": "se conectează…",
  "live.live": "în direct",
  "live.polling": "la fiecare 3 s",
  "live.lost": "fără conexiune",

  "nav.status": "Acasă",
  "nav.zones": "Zone",
  "nav.interventions": "Intervenții",
  "nav.sites": "Locații",
  "nav.objectives": "Obiective",
  "nav.events": "Evenimente",
  "nav.sync": "Sincronizare",
  "nav.settings": "Setări",

  "signIn.title": "Autentificare",
  "signIn.email": "E-mail",
  "signIn.password": "Parola",
  "signIn.do": "Autentificare",
  "signIn.lost": "Parolă uitată? Pe dispozitiv:",

  "contact.unnamed": "valoare necunoscută",
  "contact.unknown": "fără citire",

  ...RO_HOME,
  ...RO_HEADLINE,
  ...RO_SHARED,
};
