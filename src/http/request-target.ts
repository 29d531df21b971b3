import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { RequestHandler } from "express";
import { AppError } from "../domain/errors.ts";
import { isLocal } from "./auth-guards.ts";
import { errorBody } from "./errors.ts";

/**
 * Stands before Express, which answers in HTML what it cannot read: a request whose target or Host header is no such
 * thing is refused here. The absolute form that proxies send (RFC 9112, 3.2.2) is brought into the usual one, and its
 * host is the one that counts.
 */
export function readTarget(app: RequestListener): RequestListener {
  return (request, response) => {
    const fault = faultOf(request);
    if (fault === undefined) app(request, response);
    else refuse(response, fault);
  };
}

function faultOf(request: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2)
    if (request.rawHeaders[index]?.toLowerCase() === "host") hosts += 1;
  if (hosts > 1) return "a request has one Host header (RFC 9112, 3.2)";
  const target = request.url ?? "";
  if (target.startsWith("/") || target === "*") return undefined;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return "the request's target cannot be read";
  const { host, pathname, search } = new URL(target);
  request.url = pathname + search;
  request.headers.host = host;
  return undefined;
}

/** Answers 400 in the interface's shape. */
function refuse(response: ServerResponse, message: string): void {
  const body = JSON.stringify(errorBody(400, message));
  response
    .writeHead(400, {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": Buffer.byteLength(body),
      Connection: "close",
    })
    .end(body);
}

/**
 * Refuses a request that calls this machine by a name that is not its own: a web page whose name was bent to our
 * address (DNS rebinding) would otherwise speak to us from inside the LAN.
 * @param names names that are ours beside the addresses, localhost, the host name and *.local
 */
export function hostGuard(names: readonly string[]): RequestHandler {
  const own = new Set(["localhost", hostname().toLowerCase(), ...names.map((name) => name.toLowerCase())]);
  return (request, _response, next) => {
    const { host } = request.headers;
    // HTTP/1.0 knows no Host header; a browser never speaks it.
    if (isLocal(request) || (host === undefined && request.httpVersion === "1.0")) {
      next();
      return;
    }
    const name = nameOf(host ?? "");
    if (isIP(name) === 0 && !name.endsWith(".local") && !own.has(name))
      throw new AppError(
        "invalid",
        `this is not ${JSON.stringify(name)}; add the name to http.hosts if it should be`,
      );
    next();
  };
}

/** The name without its port, and an IPv6 address without its brackets. */
function nameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1");
}
