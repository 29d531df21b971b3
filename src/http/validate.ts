import type { ErrorObject } from "ajv";
import { AppError } from "../domain/errors.ts";

/** Precompiled validator of src/generated/validators.js. */
export interface Validator<T> {
  (value: unknown): value is T;
  errors?: ErrorObject[] | null;
}

/**
 * Validates a request body.
 * @throws AppError `invalid` with all invalid fields
 */
export function validated<T>(validator: Validator<T>, body: unknown): T {
  if (body === null || typeof body !== "object" || Array.isArray(body))
    throw new AppError("invalid", "the body must be a JSON object");
  if (validator(body)) return body;
  const sentences = [...new Set((validator.errors ?? []).slice(0, ERRORS_REPORTED_MAX).map(describe))];
  throw new AppError("invalid", sentences.join("; ") || "the body does not match its schema");
}

const ERRORS_REPORTED_MAX = 20;

/** Describes a schema error. */
function describe(error: ErrorObject): string {
  const field = error.instancePath.slice(1).replaceAll("/", ".") || "the body";
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case "required":
      return `${String(params["missingProperty"])} is required`;
    case "additionalProperties":
      return `${String(params["additionalProperty"])} is not a field of this resource`;
    case "enum":
      return `${field} must be one of ${(params["allowedValues"] as unknown[]).join(", ")}`;
    case "type":
      return `${field} must be ${typeNames(params["type"])}`;
    case "minLength":
      return `${field} must not be empty`;
    case "maxLength":
      return `${field} may have at most ${String(params["limit"])} characters`;
    case "pattern":
      return `${field} must not be blank or contain control characters or invalid characters`;
    case "minimum":
      return `${field} must be at least ${String(params["limit"])}`;
    case "maximum":
      return `${field} must be at most ${String(params["limit"])}`;
    default:
      return `${field} ${error.message ?? "is invalid"}`;
  }
}

function typeNames(type: unknown): string {
  const names: Readonly<Record<string, string>> = {
    integer: "a whole number",
    number: "a number",
    boolean: "true or false",
    object: "an object",
  };
  return [type]
    .flat()
    .map((name) => names[String(name)] ?? `a ${String(name)}`)
    .join(" or ")
    .replace("a null", "null");
}
