import { ZONE_HELP } from "../../generated/zone-help.ts";
import { EN_ALARM_BAR } from "./en-alarm-bar.ts";
import { EN_CONDITIONS } from "./en-conditions.ts";
import { EN_DETAILS } from "./en-details.ts";
import { EN_DOUBTS } from "./en-doubts.ts";
import { EN_EMPTY } from "./en-empty.ts";
import { EN_HISTORY } from "./en-history.ts";
import { EN_LINK } from "./en-link.ts";
import { EN_PLAN } from "./en-plan.ts";
import { EN_RECORDS } from "./en-records.ts";
import { EN_EVENT_SENTENCES } from "./en-event-sentences.ts";
import { EN_SCREENS } from "./en-screens.ts";
import { EN_SETUP } from "./en-setup.ts";
import { EN_SITES } from "./en-sites.ts";
import { EN_TESTS } from "./en-tests.ts";
import { EN_ZONES } from "./en-zones.ts";

/** The descriptions of the options of a zone by key, such as `zoneHelp.confirmMs`. */
export type ZoneHelpKey = `zoneHelp.${keyof typeof ZONE_HELP}`;

const EN_ZONE_HELP = Object.fromEntries(
  Object.entries(ZONE_HELP).map(([option, text]) => [`zoneHelp.${option}`, text]),
) as Readonly<Record<ZoneHelpKey, string>>;

/** Texts of every screen but the sign-in and Home, in English; loaded with the first of them. */
export const EN_MORE = {
  ...EN_ALARM_BAR,
  ...EN_CONDITIONS,
  ...EN_DETAILS,
  ...EN_DOUBTS,
  ...EN_EMPTY,
  ...EN_PLAN,
  ...EN_RECORDS,
  ...EN_EVENT_SENTENCES,
  ...EN_SCREENS,
  ...EN_TESTS,
  ...EN_HISTORY,
  ...EN_LINK,
  ...EN_SETUP,
  ...EN_ZONES,
  ...EN_SITES,
  ...EN_ZONE_HELP,
} as const;
