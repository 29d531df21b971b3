import { IncomingMessage, ServerResponse } from "node:http";
import type { Express, Response } from "express";

/** Classes for a server of `node:http` that already have Express's prototypes. */
export interface ExpressCompatibleClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Express calls `Object.setPrototypeOf` on each request and response, which makes them slow objects. With classes that
 * already have its prototypes, the call changes nothing. They must be real classes: V8 uses one hidden class for all
 * objects of a derived class, but a new one for each object from `Reflect.construct` with another prototype.
 */
export function createExpressClasses(app: Express): ExpressCompatibleClasses {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  app.request = withPrototype(ExpressRequest.prototype, app.request);
  app.response = withPrototype(ExpressResponse.prototype, app.response);
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Inserts Express's prototype between a class and its base. */
function withPrototype<P extends object>(derived: object, prototype: P): P {
  return Object.setPrototypeOf(derived, prototype) as P;
}

/**
 * Replaces `response.json` by a version without settings, type detection and ETags, which are the same for all responses
 * here.
 */
export function installFastJson(app: Express): void {
  app.response.json = function json(this: Response, body: unknown): Response {
    return sendJsonText(this, JSON.stringify(body));
  };
}

/** Sends serialised JSON. */
export function sendJsonText(response: Response, text: string): Response {
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  // Node.js omits the body for HEAD.
  return response.end(text);
}
