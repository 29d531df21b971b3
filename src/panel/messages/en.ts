import { EN_HEADLINE } from "./en-headline.ts";
import { EN_HOME } from "./en-home.ts";
import { EN_SHARED } from "./en-shared.ts";

/** The panel's texts in English. Every other language has the same keys and placeholders. */
export const EN = {
  "app.name": "Santinela",
  "app.skip": "Skip to content",
  "app.menu": "Screens",
  "app.loading": "Loading…",
  "app.noResponse": "The daemon is not responding. Try again.",
  "app.retry": "Retry",
  "app.language": "Language",
  "app.signOut": "Sign out",
  "app.undo": "Undo",

  "live.starting": "connecting…",
  "live.live": "live",
  "live.polling": "every 3 s",
  "live.lost": "no connection",

  "nav.status": "Home",
  "nav.zones": "Zones",
  "nav.interventions": "Interventions",
  "nav.sites": "Sites",
  "nav.objectives": "Objectives",
  "nav.events": "Log",
  "nav.sync": "Sync",
  "nav.settings": "Settings",

  "signIn.title": "Sign in",
  "signIn.email": "E-mail address",
  "signIn.password": "Password",
  "signIn.do": "Sign in",
  "signIn.lost": "Password lost? On the device:",

  "contact.unnamed": "unknown value",
  "contact.unknown": "no reading yet",

  ...EN_HOME,
  ...EN_HEADLINE,
  ...EN_SHARED,
} as const;
