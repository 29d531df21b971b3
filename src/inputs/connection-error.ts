import { messageOf } from "../domain/errors.ts";

/** Why a connection to a broker failed. Node.js hides the reasons of several attempts in an error without a message. */
export function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return messageOf(first);
}
