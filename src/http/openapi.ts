import { SCHEMAS } from "../generated/schemas.ts";
import { SITE_SCHEMAS } from "../generated/site-schemas.ts";
import { VERSION } from "../generated/version.ts";
import { CONTRACT_OPERATIONS } from "./openapi-contract.ts";
import { FLEET_OPERATIONS } from "./openapi-fleet.ts";
import { sitePaths } from "./openapi-site.ts";
import { type Json, pathsOf, schema } from "./openapi-parts.ts";

/**
 * Creates the OpenAPI 3.1 document of the API from schemas/.
 * @param basePath prefix of the API's paths
 */
export function openApiDocument(basePath: string): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Intervention Request Service",
      version: VERSION,
      description: "Interventions, their objectives, and access tokens.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: basePath || "/" }],
    security: [{ bearer: [] }],
    paths: {
      ...pathsOf([...CONTRACT_OPERATIONS, ...FLEET_OPERATIONS], (name) =>
        name === "id" ? schema("Id") : SITE_REFERENCE,
      ),
      ...sitePaths(),
    },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
      schemas: { ...SITE_SCHEMAS, ...componentSchemas() },
    },
  };
}

const SITE_REFERENCE = { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$" };

/** The schemas of the API as OpenAPI components. */
function componentSchemas(): Json {
  const own = SCHEMAS.filter(({ $id }) =>
    ["intervention.json", "objective.json", "access.json", "fleet.json"].includes($id),
  );
  const definitions = Object.assign({}, ...own.map((schema) => schema.definitions)) as Json;
  const internal = new Set(["UpstreamIntervention", "ObjectiveImport", "PasswordChange", "SetUp"]);
  const published = Object.entries(definitions).filter(([name]) => !internal.has(name));
  const text = JSON.stringify(Object.fromEntries(published));
  return JSON.parse(text.replaceAll(/"[^"]*#\/definitions\//g, '"#/components/schemas/')) as Json;
}
