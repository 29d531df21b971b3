import type { LinkCause } from "../domain/link-status.ts";
import type { LinkFault } from "./reply-classification.ts";

/** The cause of a fault that is known without its code. */
const OF_FAULT: Readonly<Partial<Record<LinkFault, LinkCause>>> = {
  busy: "busy",
  "signed-out": "sign-in",
  forbidden: "forbidden",
  "not-the-interface": "other-service",
};

/** The cause of a connection that failed, by the error code of Node.js; the first that matches. */
const OF_CODE: readonly (readonly [RegExp, LinkCause])[] = [
  [/^(?:ENOTFOUND|EAI_\w+|ENODATA)$/, "name"],
  [/^ECONNREFUSED$/, "refused"],
  [/^(?:ETIMEDOUT|ESOCKETTIMEDOUT)$/, "timeout"],
  [/^(?:EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, "network"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "certificate-name"],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, "certificate-time"],
  [/^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/, "certificate"],
  [/^(?:EPROTO|ERR_SSL_\w+)$/, "tls"],
  [/^HPE_/, "other-service"],
  // ERROR: the connection was closed without a response.
  [/^(?:ECONNRESET|EPIPE|ERROR)$/, "broken"],
];

/**
 * Why the link is down, as a word.
 * @param code HTTP status or error code of the outcome
 */
export function linkCause(fault: Exclude<LinkFault, "ok">, code: string): LinkCause {
  return OF_FAULT[fault] ?? OF_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? "other";
}
