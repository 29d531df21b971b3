import type { RequestHandler } from "express";

/**
 * Allows web pages of exactly these origins (Fetch standard, CORS protocol): no wildcard, no reflection, no credentials.
 * Without origins no headers are added.
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
