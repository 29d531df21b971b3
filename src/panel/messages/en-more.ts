import { ZONE_HELP } from "../../generated/zone-help.ts";
import { EN_SETUP } from "./en-setup.ts";
import { EN_SITES } from "./en-sites.ts";
import { EN_ZONES } from "./en-zones.ts";

/** The descriptions of the options of a zone by key, such as `zoneHelp.confirmMs`. */
export type ZoneHelpKey = `zoneHelp.${keyof typeof ZONE_HELP}`;

const EN_ZONE_HELP = Object.fromEntries(
  Object.entries(ZONE_HELP).map(([option, text]) => [`zoneHelp.${option}`, text]),
) as Readonly<Record<ZoneHelpKey, string>>;

/** Texts of the screens that few users open, in English; loaded with the first of them. */
export const EN_MORE = { ...EN_SETUP, ...EN_ZONES, ...EN_SITES, ...EN_ZONE_HELP } as const;
