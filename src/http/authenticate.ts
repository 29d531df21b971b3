import type { IncomingMessage } from "node:http";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { AppError } from "../domain/errors.ts";
import { mayUseInterface, type Principal } from "../domain/principal.ts";
import type { TokenService } from "../service/tokens.ts";

/** Whoever the control socket's file permissions let in. */
const LOCAL_ADMINISTRATOR: Principal = { accountId: 0, email: "control socket", role: "administrator" };

const principals = new WeakMap<IncomingMessage, Principal>();
const localSockets = new WeakSet<object>();

/** Marks a connection as one of the control socket, whose requests need no token. */
export function trustConnection(socket: object): void {
  localSockets.add(socket);
}

export function isLocal(request: IncomingMessage): boolean {
  return localSockets.has(request.socket);
}

/**
 * Lets only a request with a valid token through, before its body, id or query are looked at.
 * The answer is 401 with `WWW-Authenticate` (RFC 9110 15.5.2, RFC 6750 section 3).
 */
export function authenticate(tokens: TokenService): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (isLocal(request)) {
      principals.set(request, LOCAL_ADMINISTRATOR);
      next();
      return;
    }
    const header = request.headers.authorization;
    const token = /^Bearer +([^\s]+) *$/i.exec(header ?? "")?.[1];
    try {
      if (token === undefined)
        throw new AppError(
          "unauthenticated",
          "a token is needed: send Authorization: Bearer <token> from POST /auth/token",
        );
      principals.set(request, tokens.verify(token));
    } catch (error) {
      response.set(
        "WWW-Authenticate",
        header === undefined ? 'Bearer realm="santinela"' : 'Bearer realm="santinela", error="invalid_token"',
      );
      next(error);
      return;
    }
    next();
  };
}

/** Who is asking; only behind `authenticate`. */
export function principalOf(request: Request): Principal {
  const principal = principals.get(request);
  if (!principal) throw new Error(`${request.method} ${request.path} has a handler before authentication`);
  return principal;
}

/** Lets operators and administrators through: "operator or administrator rights are needed". */
export const requireInterfaceRole: RequestHandler = (request, _response, next) => {
  if (!mayUseInterface(principalOf(request)))
    throw new AppError("forbidden", "operator or administrator rights are needed");
  next();
};
