import { RO_API_PARTS } from "./ro-api-parts.ts";
import { RO_API_RECORDS } from "./ro-api-records.ts";
import { RO_API_SITE } from "./ro-api-site.ts";

/** What the OpenAPI document of the daemon says in English, and the same in Romanian; loaded with the screen that shows it. */
export const RO_API: readonly (readonly [english: string, romanian: string])[] = [
  ...RO_API_RECORDS,
  ...RO_API_SITE,
  ...RO_API_PARTS,
];

/** What follows the summary of an operation: who may call it. */
export const RO_API_ENDS: readonly (readonly [english: string, romanian: string])[] = [
  ["; not part of the contract", "; nu face parte din contract"],
  ["; without a token", "; fără token"],
  ["; for a viewer", "; rol necesar: observator"],
  ["; for an operator", "; rol necesar: operator"],
  ["; for an administrator", "; rol necesar: administrator"],
];

/** The filters of the interventions differ only in the name of the field. */
const FILTER = /^Only records with one of these values of (\w+); also \1_ne, _gte, _lte, _like$/;

const KNOWN = new Map(RO_API);

/** A text of the OpenAPI document in Romanian; undefined for one that is not known. */
export function translateApiText(text: string): string | undefined {
  const [, field] = FILTER.exec(text) ?? [];
  if (field !== undefined)
    return `Numai înregistrările cu una dintre aceste valori în \`${field}\`; de asemenea \`${field}_ne\`, \`_gte\`, \`_lte\`, \`_like\``;
  for (const [english, romanian] of RO_API_ENDS) {
    const said = text.endsWith(english) ? KNOWN.get(text.slice(0, -english.length)) : undefined;
    if (said !== undefined) return said + romanian;
  }
  return KNOWN.get(text);
}
