import { AppError } from "../domain/errors.ts";
import type { InterventionFields } from "../domain/intervention.ts";

/**
 * Refuses what PostgreSQL cannot store, so that a client hears which field it is.
 * @throws AppError `invalid` for a text with the character U+0000
 */
export function assertStorable(fields: Partial<InterventionFields>): void {
  for (const [name, value] of Object.entries(fields))
    if (typeof value === "string" && value.includes("\0"))
      throw new AppError("invalid", `${name} must not contain the character U+0000`);
}

/** A text that a client or a site chose freely: PostgreSQL cannot store a NUL, and UTF-8 no half of a character. */
export function storableText(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, "\u{fffd}");
}

/** A value as JSON, each text of which PostgreSQL can read as a text. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => (typeof one === "string" ? storableText(one) : one));
}
