import type { IncomingMessage, RequestListener } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { RequestHandler } from "express";
import { AppError } from "../domain/errors.ts";
import { isLocal } from "./auth-guards.ts";
import { EARLY_HEADERS, METHODS, sendError } from "./errors.ts";

/**
 * Rejects requests with an invalid target or Host header, which Express would answer in HTML. Converts the absolute form of
 * proxies (RFC 9112, 3.2.2) to the origin form; its host replaces the Host header. Answers OPTIONS of the whole server.
 * @param newRequestId generates a unique request id; undefined for responses without
 */
export function readTarget(app: RequestListener, newRequestId?: () => string): RequestListener {
  return (request, response) => {
    const fault = faultOf(request);
    const isForServer = request.url === "*";
    if (fault === undefined && !isForServer) {
      app(request, response);
      return;
    }
    if (newRequestId) response.setHeader("X-Request-Id", newRequestId());
    if (fault !== undefined) sendError(response, 400, fault, { Connection: "close" });
    else response.writeHead(204, { ...EARLY_HEADERS, Allow: METHODS }).end();
  };
}

function faultOf(request: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2)
    if (isHost(request.rawHeaders[index] ?? "")) hosts += 1;
  if (hosts > 1) return "a request must have one Host header (RFC 9112, 3.2)";
  const target = request.url ?? "";
  if (target === "*" && request.method === "OPTIONS") return undefined;
  // Both are no part of a target (RFC 9112, 3.2), and Express would look for a host in it.
  if (target.includes("#") || (target.startsWith("//") && target.includes("\u00a0")))
    return "invalid request target";
  if (target.startsWith("/")) return undefined;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return "invalid request target";
  const { host, pathname, search } = new URL(target);
  request.url = pathname + search;
  request.headers.host = host;
  return undefined;
}

/** The length is compared first: lower-casing each name of each request takes longer. */
function isHost(name: string): boolean {
  return name.length === "host".length && name.toLowerCase() === "host";
}

/**
 * Rejects requests with an unknown host name, to prevent DNS rebinding: otherwise a web page on the internet could reach
 * the daemon through a browser in the LAN.
 * @param names allowed names in addition to IP addresses, localhost, the host name and *.local
 */
export function hostGuard(names: readonly string[]): RequestHandler {
  const own = new Set(["localhost", hostname().toLowerCase(), ...names.map((name) => name.toLowerCase())]);
  /** The last admitted header: nearly all requests have the same one. */
  let admitted: string | undefined;
  return (request, _response, next) => {
    const { host } = request.headers;
    // HTTP/1.0 has no Host header; browsers do not use it.
    if (
      isLocal(request) ||
      (host !== undefined && host === admitted) ||
      (host === undefined && request.httpVersion === "1.0")
    ) {
      next();
      return;
    }
    const name = nameOf(host ?? "");
    if (isIP(name) === 0 && !name.endsWith(".local") && !own.has(name))
      throw new AppError(
        "invalid",
        `unknown host name ${JSON.stringify(name)}; add it to http.hosts to allow it`,
      );
    admitted = host;
    next();
  };
}

/** The name without port and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1");
}
