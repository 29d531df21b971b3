import { DAILY_WORK } from "./openapi-site-work.ts";
import { FLOOR_PLANS } from "./openapi-site-plans.ts";
import { SITE_ENROLMENT } from "./openapi-site-enrolment.ts";
import { FIELD_TESTS } from "./openapi-site-tests.ts";
import { SITE_CONFIGURATION } from "./openapi-site-configuration.ts";
import { SITE_ADMINISTRATION } from "./openapi-site-administration.ts";
import { failures, jsonResponse, type Json, type SiteOperation, TEXT } from "./openapi-parts.ts";

/** All operations of /site. */
export const SITE_OPERATIONS: readonly SiteOperation[] = [
  ...DAILY_WORK,
  ...FIELD_TESTS,
  ...FLOOR_PLANS,
  ...SITE_CONFIGURATION,
  ...SITE_ADMINISTRATION,
  ...SITE_ENROLMENT,
];

/** The operations of a site that the contract does not have; they are not below the base path. */
export function sitePaths(): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of SITE_OPERATIONS) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method] = described(operation);
  }
  return paths;
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: TEXT,
  }));
}

function described(operation: SiteOperation): Json {
  const { role, id, summary, body, bodyType = "application/json", answer, errors = [] } = operation;
  const [status, meaning] = operation.success ?? [200, "Done"];
  const hasInput = body !== undefined || operation.query !== undefined || bodyType !== "application/json";
  return {
    operationId: id,
    summary: role === "none" ? `${summary}; without a token` : `${summary}; for a ${role}`,
    ...(role === "none" ? { security: [] } : {}),
    servers: [{ url: "/" }],
    parameters: [...pathParameters(operation.path), ...(operation.query ?? [])],
    ...(body ? { requestBody: { required: true, content: { [bodyType]: { schema: body } } } } : {}),
    responses: {
      [status]:
        typeof answer === "string"
          ? { description: meaning, content: { [answer]: {} } }
          : jsonResponse(meaning, answer),
      ...failures(
        ...new Set([
          ...(hasInput ? [400] : []),
          ...(role === "none" ? [] : [401, 403]),
          ...(body ? [413, 415] : []),
          ...errors,
          500,
        ]),
      ),
    },
  };
}
