import type { CatalogueOf } from "./catalogue.ts";
import type { EN_MORE } from "./en-more.ts";
import { RO_SETUP } from "./ro-setup.ts";
import { RO_SITES } from "./ro-sites.ts";
import { RO_ZONE_HELP } from "./ro-zone-help.ts";
import { RO_ZONES } from "./ro-zones.ts";

/** Texts of the screens that few users open, in Romanian; loaded with the first of them. */
export const RO_MORE: CatalogueOf<typeof EN_MORE> = {
  ...RO_SETUP,
  ...RO_ZONES,
  ...RO_SITES,
  ...RO_ZONE_HELP,
};
