import { messageOf } from "../domain/errors.ts";

/** Why a connection to a broker failed. Node hides the reasons of several attempts (IPv4, IPv6) in an error without a message. */
export function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return messageOf(first);
}
