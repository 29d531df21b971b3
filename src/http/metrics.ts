import { createHash, timingSafeEqual } from "node:crypto";
import type { Request, Router } from "express";
import { AppError } from "../domain/errors.ts";
import { isLocal, tokenOf } from "./auth-guards.ts";

export interface MetricsPort {
  /** The metrics in the Prometheus text format. */
  text(): Promise<string>;
  /** The metrics of the sites that report to this dispatch centre. */
  sites(): Promise<string>;
  /** Token for access over the network; null: no access over the network. */
  token(): string | null;
}

/** Media type of the Prometheus text format. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * GET /metrics, and GET /metrics/sites, which is larger and is scraped less often. A Prometheus server cannot sign in every hour, so
 * it uses a separate token that is valid for nothing else.
 */
export function metricsRoute(router: Router, metrics: MetricsPort): void {
  for (const [path, read] of [
    ["/metrics", () => metrics.text()],
    ["/metrics/sites", () => metrics.sites()],
  ] as const)
    router.get(path, (request, response, next) => {
      if (!isLocal(request)) {
        const token = metrics.token();
        if (token === null) return next("route");
        if (!hasToken(request, token)) {
          response.set("WWW-Authenticate", 'Bearer realm="santinela metrics"');
          throw new AppError("unauthenticated", "the token of metrics.tokenFile is required");
        }
      }
      return read().then((text) => void response.set("Content-Type", CONTENT_TYPE).send(text));
    });
}

/** Compares hashes in constant time. */
function hasToken(request: Request, token: string): boolean {
  return timingSafeEqual(hashed(tokenOf(request) ?? ""), hashed(token));
}

function hashed(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
