import { isIP } from "node:net";
import { hostname } from "node:os";
import type { RequestHandler } from "express";
import { AppError } from "../domain/errors.ts";
import { isLocal } from "./authenticate.ts";

/**
 * Refuses a request that calls this machine by a name that is not its own: a web page whose name was bent to our
 * address (DNS rebinding) would otherwise speak to us from inside the LAN.
 * @param names names that are ours beside the addresses, localhost, the host name and *.local
 */
export function ownHostOnly(names: readonly string[]): RequestHandler {
  const own = new Set(["localhost", hostname().toLowerCase(), ...names.map((name) => name.toLowerCase())]);
  return (request, _response, next) => {
    const host = nameOf(request.headers.host ?? "");
    if (!isLocal(request) && isIP(host) === 0 && !host.endsWith(".local") && !own.has(host))
      throw new AppError(
        "invalid",
        `this is not ${JSON.stringify(host)}; add the name to http.hosts if it should be`,
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
