import type { ErrorObject } from "ajv";
import type { ConfigProblem, Written } from "./problems.ts";
import { withSuggestedIds } from "./suggested-ids.ts";
import { closest, didYouMean, nearest } from "./suggestions.ts";
import { enumMessage, outOfRange, shown, tooLong, tooShort, typeMessage } from "./value-messages.ts";

/** Errors that are read: each is compared with all others. A person corrects the first ones and checks again. */
const ERRORS_MAX = 2_000;

/** Converts validator errors into problems with a remedy. @param writtenAt how the value at a path is written */
export function schemaProblems(
  all: readonly ErrorObject[],
  value: unknown,
  writtenAt: (path: ConfigProblem["path"]) => Written = () => ({ isInBrackets: false }),
): ConfigProblem[] {
  const reported = all.slice(0, ERRORS_MAX);
  const errors = reported.filter((error) => !isMisspelt(error, reported));
  const alternatives = errors.filter(({ keyword }) => keyword === "oneOf");
  const chosen = alternatives.flatMap((error) => alternativeProblems(error, errors));
  const inAlternative = (error: ErrorObject): boolean =>
    alternatives.some(({ instancePath }) => within(error.instancePath, instancePath));
  const plain = errors.filter((error) => !inAlternative(error) && error.keyword !== "propertyNames");
  const problems = [...plain.map((error) => problemOf(error)), ...chosen].map(
    ({ path, message, typeError }) => {
      const place = indexed(path, value);
      return {
        path: place,
        message: typeError ? typeMessage(typeError.types, typeError.data, writtenAt(place)) : message,
      };
    },
  );
  return withSuggestedIds(problems, value);
}

/** A problem that may depend on how the value is written. */
interface FoundProblem extends ConfigProblem {
  readonly typeError?: { readonly types: readonly string[]; readonly data: unknown };
}

/** Whether the option that is missing is there under a misspelt name, which is one error and not two. */
function isMisspelt(
  { keyword, params, instancePath, parentSchema }: ErrorObject,
  errors: readonly ErrorObject[],
): boolean {
  if (keyword !== "required") return false;
  const { missingProperty } = params as { missingProperty: string };
  return errors.some(
    (other) =>
      other.keyword === "additionalProperties" &&
      other.instancePath === instancePath &&
      other.parentSchema === parentSchema &&
      closest(unknownKey(other), knownKeys(other)) === missingProperty,
  );
}

function within(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** Keys that identify the intended alternative, and the message if there is none. */
const ALTERNATIVES: Readonly<Record<string, { keys: readonly string[]; remedy: string }>> = {
  input: {
    keys: ["gpio", "mqtt", "simulated", "dc09", "adc", "supply"],
    remedy:
      "an input needs exactly one of gpio: <BCM number>, mqtt: <topic>, dc09: <account>, adc: <converter>, supply: raspberry-pi or simulated: true",
  },
  gate: {
    keys: ["schedule", "mqtt", "gpio"],
    remedy:
      'a gate is always, { schedule: "sun-fri 18:00-07:00, sat-sun" }, { mqtt: <topic>, open: [armed], normal: [disarmed] } or { gpio: <line> }',
  },
  swinger: { keys: [], remedy: "must be false, or { maxTrips: 1 to 6, resetAfterQuietS: 3600 or more }" },
  tls: { keys: [], remedy: "must be own, off or { certFile: <file>, keyFile: <file> }" },
  mqtt: { keys: [], remedy: "must be off or a section such as { url: mqtt://127.0.0.1:1883 }" },
};

/** Selects the errors of the intended alternative. */
function alternativeProblems(error: ErrorObject, errors: readonly ErrorObject[]): FoundProblem[] {
  const path = pathOf(error.instancePath);
  const { keys, remedy } = ALTERNATIVES[String(path.at(-1))] ?? {
    keys: [],
    remedy: "matches none of the allowed forms",
  };
  const given = error.data;
  if (given === null || typeof given !== "object" || Array.isArray(given)) return [{ path, message: remedy }];
  const meant = keys.filter((key) => Object.hasOwn(given, key));
  const misspelt = meant.length === 0 ? misspeltKeys(Object.keys(given), keys, path) : [];
  if (misspelt.length > 0) return misspelt;
  if (keys.length > 0 && meant.length !== 1) return [{ path, message: remedy }];
  const ofMeant = errors.filter((inner) => {
    if (inner === error || !within(inner.instancePath, error.instancePath)) return false;
    if (
      ["oneOf", "const", "enum", "type"].includes(inner.keyword) &&
      inner.instancePath === error.instancePath
    )
      return false;
    const schema = inner.parentSchema as { properties?: Record<string, unknown> } | undefined;
    const branchKeys = schema?.properties ? Object.keys(schema.properties) : undefined;
    if (inner.instancePath === error.instancePath && branchKeys && meant[0] !== undefined)
      return branchKeys.includes(meant[0]);
    const isWithin = inner.instancePath !== error.instancePath;
    return isWithin || inner.keyword !== "required" || meant.length === 0;
  });
  return ofMeant.length > 0 ? ofMeant.map((inner) => problemOf(inner)) : [{ path, message: remedy }];
}

/** The options that are one of `keys` with a typing error. */
function misspeltKeys(
  given: readonly string[],
  keys: readonly string[],
  path: readonly string[],
): ConfigProblem[] {
  return given.flatMap((key) => {
    const suggestion = didYouMean(key, keys);
    return suggestion === undefined
      ? []
      : [{ path: [...path, key], message: `unknown option. ${suggestion}` }];
  });
}

interface RangeOrFormat {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

function problemOf(error: ErrorObject): FoundProblem {
  const path = pathOf(error.instancePath);
  if (error.keyword === "type") {
    const { type } = error.params as { type: string | string[] };
    return { path, message: "", typeError: { types: [type].flat(), data: error.data } };
  }
  if (error.keyword !== "additionalProperties") return { path, message: problemMessage(error) };
  const key = unknownKey(error);
  if (key.startsWith("-"))
    return {
      path: [...path, key],
      message: "unknown option. Write a space after - to begin an entry of a list",
    };
  return { path: [...path, key], message: `unknown option. ${nearest(key, knownKeys(error))}` };
}

function unknownKey({ params }: ErrorObject): string {
  return String((params as { additionalProperty: unknown }).additionalProperty);
}

function knownKeys({ parentSchema }: ErrorObject): string[] {
  const { properties = {} } = (parentSchema ?? {}) as { properties?: object };
  return Object.keys(properties);
}

/** Their values may contain a password, and problems are shown to everyone. */
const OF_ADDRESS = /(^|\/)(url|baseUrl|database)$/;

function problemMessage(error: ErrorObject): string {
  const { keyword, params, parentSchema, data, message, instancePath } = error;
  const { limit, allowedValues, missingProperty } = params as Readonly<Record<string, unknown>>;
  const { description = "", ...range } = (parentSchema ?? {}) as RangeOrFormat;
  switch (keyword) {
    case "required":
      return missingProperty === "objective"
        ? "objective is missing. Write it as { type: obiective/cladiri, id: 12 }"
        : `${String(missingProperty)} is missing`;
    case "enum":
      return enumMessage((allowedValues as unknown[]).map(String), data);
    case "const":
      return `must be only ${JSON.stringify(params["allowedValue"])}, not ${shown(data)}`;
    case "exclusiveMinimum":
      return `must be more than ${String(limit)}, not ${shown(data)}`;
    case "uniqueItems":
      return "has the same entry twice";
    case "minLength":
    case "minItems":
      return tooShort(Number(limit), data);
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return tooLong(Number(limit), data);
    case "minimum":
    case "maximum":
      return outOfRange(data, range);
    case "pattern":
    case "format":
      if (instancePath.endsWith("/path") && typeof data === "string" && /^[\w-][\w/-]{0,60}$/.test(data))
        return `${shown(data)} does not match the expected format. Begin it with /: /${data}`;
      if (instancePath.endsWith("/path") && typeof data === "string" && /^(\/[^/]*){9,}$/.test(data))
        return `${shown(data)} has too many levels; at most 8 are allowed`;
      return `${OF_ADDRESS.test(instancePath) ? "" : shown(data)} does not match the expected format. ${description}`.trim();
    default:
      return `${message ?? "is invalid"}${data === undefined ? "" : ` (${shown(data)})`}`;
  }
}

function pathOf(instancePath: string): string[] {
  return instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Converts list indices into numbers. */
function indexed(path: readonly (string | number)[], value: unknown): (string | number)[] {
  let at: unknown = value;
  return path.map((part) => {
    const key = Array.isArray(at) ? Number(part) : part;
    at = (at as Record<string | number, unknown> | undefined)?.[key];
    return key;
  });
}
