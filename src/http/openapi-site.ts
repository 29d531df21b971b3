import { DAILY_WORK } from "./openapi-site-work.ts";
import { FLOOR_PLANS } from "./openapi-site-plans.ts";
import { FIELD_TESTS } from "./openapi-site-tests.ts";
import { SITE_CONFIGURATION } from "./openapi-site-configuration.ts";
import { SITE_ADMINISTRATION } from "./openapi-site-administration.ts";
import { type Json, type Operation, pathsOf, TEXT } from "./openapi-parts.ts";

/** All operations of /site. */
export const SITE_OPERATIONS: readonly Operation[] = [
  ...DAILY_WORK,
  ...FIELD_TESTS,
  ...FLOOR_PLANS,
  ...SITE_CONFIGURATION,
  ...SITE_ADMINISTRATION,
];

/** The operations of a site that the contract does not have; they are not below the base path. */
export function sitePaths(): Json {
  const operations = SITE_OPERATIONS.map(({ role, summary, ...one }) => {
    const who = role === "none" ? "without a token" : `for ${role === "viewer" ? "a" : "an"} ${role}`;
    return { ...one, role, summary: `${summary}; ${who}` };
  });
  return pathsOf(operations, () => TEXT, { servers: [{ url: "/" }] });
}
