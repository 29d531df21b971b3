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

/** Descriptions of schema errors by keyword. */
const PROBLEMS: Readonly<
  Record<string, (field: string, params: Readonly<Record<string, unknown>>) => string>
> = {
  required: (_field, { missingProperty }) => `${String(missingProperty)} is required`,
  additionalProperties: (_field, { additionalProperty }) =>
    `${String(additionalProperty)} is not a field of this resource`,
  enum: (field, { allowedValues }) => `${field} must be one of ${(allowedValues as unknown[]).join(", ")}`,
  type: (field, { type }) => `${field} must be ${typeNames(type)}`,
  minLength: (field, { limit }) =>
    limit === 1 ? `${field} must not be empty` : `${field} must have at least ${String(limit)} characters`,
  maxLength: (field, { limit }) => `${field} may have at most ${String(limit)} characters`,
  minItems: (field) => `${field} must not be empty`,
  maxItems: (field, { limit }) => `${field} may have at most ${String(limit)} entries`,
  pattern: (field) => `${field} must not be blank or contain control characters or invalid characters`,
  minimum: (field, { limit }) => `${field} must be at least ${String(limit)}`,
  maximum: (field, { limit }) => `${field} must be at most ${String(limit)}`,
};

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const field = instancePath.slice(1).replaceAll("/", ".") || "the body";
  return PROBLEMS[keyword]?.(field, params) ?? `${field} ${message ?? "is invalid"}`;
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
