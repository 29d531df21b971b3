import { IncomingMessage, ServerResponse } from "node:http";
import type { Express, Response } from "express";

/** Constructors for a server of `node:http` whose requests and responses are already Express's. */
export interface ExpressCompatibleClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Express turns each request and response into its own by `Object.setPrototypeOf`, which makes them slow objects for
 * the rest of their lives; made of classes that have its prototypes, that call changes nothing. The classes must be
 * written as such: V8 keeps one shape for all objects of a derived class, but makes a new one for each object that
 * `Reflect.construct` is given another prototype for, and then nothing that touches it can be optimised.
 */
export function createExpressClasses(app: Express): ExpressCompatibleClasses {
  class BornRequest extends IncomingMessage {}
  class BornResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  app.request = takenOver(BornRequest.prototype, app.request);
  app.response = takenOver(BornResponse.prototype, app.response);
  return { IncomingMessage: BornRequest, ServerResponse: BornResponse };
}

/** Puts Express's prototype between a class and its base. */
function takenOver<P extends object>(born: object, prototype: P): P {
  return Object.setPrototypeOf(born, prototype) as P;
}

/**
 * Gives an application a `json` that does not read settings and guess types and tags which are the same for every
 * answer here.
 */
export function installFastJson(app: Express): void {
  app.response.json = function json(this: Response, body: unknown): Response {
    return sendJsonText(this, JSON.stringify(body));
  };
}

/** Answers with JSON that is text already. */
export function sendJsonText(response: Response, text: string): Response {
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  // For HEAD Node leaves the body out by itself.
  return response.end(text);
}
