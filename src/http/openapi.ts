import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { RECORD_FIELDS } from "../domain/intervention.ts";
import { SYNC_GROUPS } from "../domain/sync-group.ts";
import { SCHEMAS } from "../generated/schemas.ts";
import { SITE_SCHEMAS } from "../generated/site-schemas.ts";
import { VERSION } from "../generated/version.ts";
import { fleetPaths } from "./openapi-fleet.ts";
import { sitePaths } from "./openapi-site.ts";
import {
  failures,
  header,
  ID,
  jsonBody,
  jsonResponse,
  type Json,
  listResponse,
  PAGING,
  query,
  schema,
  textHeader,
  textLike,
} from "./openapi-parts.ts";

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
      ...accessPaths(),
      ...objectivePaths(),
      "/interventii": collectionOperations(),
      "/interventii/{id}": recordOperations(),
      ...fleetPaths(),
      ...sitePaths(),
    },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
      schemas: { ...SITE_SCHEMAS, ...componentSchemas() },
    },
  };
}

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

function accessPaths(): Json {
  return {
    "/auth/token": {
      post: {
        operationId: "createToken",
        summary: "Obtain an access token",
        security: [],
        requestBody: jsonBody("Credentials"),
        responses: {
          "200": jsonResponse("The token and its lifetime in seconds", schema("AccessToken")),
          ...failures(400, 401, 413, 415, 429, 500, 503),
        },
      },
    },
  };
}

function objectivePaths(): Json {
  const paths = OBJECTIVE_TYPES.flatMap((type) => {
    const name = type.replace("obiective/", "");
    const list = {
      operationId: `list_${name}`,
      summary: `List objectives of type ${name}`,
      parameters: [
        ...PAGING,
        query("id", "Only objectives with these ids", { type: "array", items: schema("Id") }),
        header("If-None-Match", "Return the list only if its ETag has changed"),
      ],
      responses: {
        "200": listResponse("Objective", LIST_TAG),
        "304": { description: "The list still has the ETag of If-None-Match" },
        ...failures(400, 401, 403, 500, 503),
      },
    };
    const one = {
      operationId: `get_${name}`,
      summary: `Read one objective of type ${name}`,
      parameters: [ID],
      responses: {
        "200": jsonResponse("The objective", OBJECTIVE),
        ...failures(400, 401, 403, 404, 500, 503),
      },
    };
    return [
      [`/${type}`, { get: list }],
      [`/${type}/{id}`, { get: one }],
    ];
  });
  return Object.fromEntries(paths) as Json;
}

const LIST_TAG = { ETag: textHeader("Version of the whole list, the same for all pages") };
const OBJECTIVE = schema("Objective");
const RECORD = schema("Intervention");

function collectionOperations(): Json {
  return {
    get: {
      operationId: "listInterventions",
      summary: "List interventions",
      parameters: [
        ...PAGING,
        query("_sort", "Fields to sort by, separated by commas", textLike("dateStart")),
        query("q", "Text in name, description or notes, ignoring case and accents", {
          type: "string",
          maxLength: 200,
        }),
        query("_order", "ASC or DESC for each field, in any case", textLike("DESC")),
        query(
          "sync",
          "Only records that have arrived at the dispatch centre, that wait for it, or that need attention; unknown without a dispatch centre",
          { type: "string", enum: SYNC_GROUPS },
        ),
        query(
          "site",
          "Only the records of the site with this reference: those at the objectives of its account, and those that the account has created",
          textLike("hala-nord"),
        ),
        ...RECORD_FIELDS.map((field) =>
          query(
            field,
            `Only records with one of these values of ${field}; also ${field}_ne, _gte, _lte, _like`,
            { type: "array", items: { type: "string" } },
          ),
        ),
      ],
      responses: { "200": listResponse("Intervention"), ...failures(400, 401, 403, 500, 503) },
    },
    post: {
      operationId: "createIntervention",
      summary: "Create an intervention",
      parameters: [
        header(
          "Idempotency-Key",
          "A repeated request with the same key and body returns the first response and creates nothing; kept for 30 days",
        ),
      ],
      requestBody: jsonBody("InterventionCreate"),
      responses: {
        "201": jsonResponse("The created intervention", RECORD, {
          Location: textHeader("URL of the record"),
          ETag: textHeader("Its version, for If-Match"),
        }),
        ...failures(400, 401, 403, 404, 413, 415, 422, 500, 503),
      },
    },
  };
}

function recordOperations(): Json {
  const change = {
    parameters: [ID, header("If-Match", "Only if the record still has this ETag")],
    requestBody: jsonBody("InterventionUpdate"),
    responses: {
      "200": jsonResponse("The updated intervention", RECORD),
      ...failures(400, 401, 403, 404, 412, 413, 415, 500, 503),
    },
  };
  return {
    get: {
      operationId: "getIntervention",
      summary: "Read an intervention",
      parameters: [ID],
      responses: {
        "200": jsonResponse("The intervention", RECORD),
        ...failures(400, 401, 403, 404, 500, 503),
      },
    },
    put: { operationId: "updateIntervention", summary: "Change the fields of the body", ...change },
    patch: { operationId: "patchIntervention", summary: "The same as PUT", ...change },
    delete: {
      operationId: "deleteIntervention",
      summary: "Delete an intervention permanently",
      parameters: [
        ID,
        header("If-Match", "Only if the record still has this ETag"),
        header("Prefer", "return=representation returns the deleted record"),
      ],
      responses: {
        "204": { description: "Deleted" },
        "200": jsonResponse("Deleted; the previous record", RECORD),
        ...failures(400, 401, 403, 404, 412, 500, 503),
      },
    },
  };
}
