import type { CatalogueOf } from "./catalogue.ts";
import type { EN_MORE } from "./en-more.ts";
import { translator } from "../translation.ts";
import { RO_DAEMON } from "./ro-daemon.ts";
import { RO_ALARM_BAR } from "./ro-alarm-bar.ts";
import { RO_CONDITIONS } from "./ro-conditions.ts";
import { RO_DETAILS } from "./ro-details.ts";
import { RO_DOUBTS } from "./ro-doubts.ts";
import { RO_EMPTY } from "./ro-empty.ts";
import { RO_HISTORY } from "./ro-history.ts";
import { RO_LINK } from "./ro-link.ts";
import { RO_PLAN } from "./ro-plan.ts";
import { RO_RECORDS } from "./ro-records.ts";
import { RO_EVENT_SENTENCES } from "./ro-event-sentences.ts";
import { RO_DESCRIPTIONS } from "./ro-schema.ts";
import { RO_SCREENS } from "./ro-screens.ts";
import { RO_SETUP } from "./ro-setup.ts";
import { RO_SITES } from "./ro-sites.ts";
import { RO_TESTS } from "./ro-tests.ts";
import { RO_ZONE_HELP } from "./ro-zone-help.ts";
import { RO_ZONES } from "./ro-zones.ts";

/** Texts of every screen but the sign-in and Home, in Romanian; loaded with the first of them. */
export const RO_MORE: CatalogueOf<typeof EN_MORE> = {
  ...RO_ALARM_BAR,
  ...RO_CONDITIONS,
  ...RO_DETAILS,
  ...RO_DOUBTS,
  ...RO_EMPTY,
  ...RO_PLAN,
  ...RO_RECORDS,
  ...RO_EVENT_SENTENCES,
  ...RO_SCREENS,
  ...RO_TESTS,
  ...RO_HISTORY,
  ...RO_LINK,
  ...RO_SETUP,
  ...RO_ZONES,
  ...RO_SITES,
  ...RO_ZONE_HELP,
};

/** What the daemon says in English, in Romanian; undefined for a text that is not known. */
export const translateToRomanian = translator([...RO_DAEMON, ...RO_DESCRIPTIONS]);

export { RO_CONDITION_MESSAGES } from "./ro-condition-messages.ts";
