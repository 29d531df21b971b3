import type { RequestHandler } from "express";

/**
 * Lets web pages of exactly these origins call from a browser (Fetch standard, CORS protocol). No wildcard, no
 * reflection, no credentials; without origins nothing is added at all.
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request, response, next) => {
    if (allowed.size > 0) {
      response.vary("Origin");
      const { origin } = request.headers;
      if (origin !== undefined && allowed.has(origin)) {
        response.set({
          "Access-Control-Allow-Origin": origin,
          "Access-Control-Expose-Headers": "X-Total-Count, ETag, Location, Link, Retry-After, X-Request-Id",
        });
        if (request.method === "OPTIONS")
          response.set({
            "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
            "Access-Control-Allow-Headers":
              "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer",
            "Access-Control-Max-Age": "600",
          });
      }
    }
    next();
  };
}
