import type { IncomingMessage } from "node:http";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { AppError } from "../domain/errors.ts";
import { actorOf, mayUseApi, type Principal } from "../domain/principal.ts";
import type { EventService } from "../service/events.ts";
import type { TokenService } from "../service/tokens.ts";

/** Whoever the control socket's file permissions let in. */
const LOCAL_ADMINISTRATOR: Principal = {
  accountId: 0,
  email: "control socket",
  role: "administrator",
  from: "control socket",
};

const principals = new WeakMap<IncomingMessage, Principal>();
const localSockets = new WeakSet<object>();

/** Marks a connection as one of the control socket, whose requests need no token. */
export function markAsControlSocket(socket: object): void {
  localSockets.add(socket);
}

export function isLocal(request: IncomingMessage): boolean {
  return localSockets.has(request.socket);
}

/** Whether a request has shown a valid token, or came over the control socket. */
export function isSignedIn(request: IncomingMessage): boolean {
  return principals.has(request);
}

/**
 * Lets only a request with a valid token through, before its body, id or query are looked at.
 * The answer is 401 with `WWW-Authenticate` (RFC 9110 15.5.2, RFC 6750 section 3).
 */
function authenticate(tokens: TokenService): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (isLocal(request)) {
      principals.set(request, LOCAL_ADMINISTRATOR);
      next();
      return;
    }
    const header = request.headers.authorization;
    const token = tokenOf(request);
    try {
      if (token === undefined)
        throw new AppError(
          "unauthenticated",
          "a token is needed: send Authorization: Bearer <token> from POST /auth/token",
        );
      principals.set(request, tokens.verify(token, request.ip ?? ""));
    } catch (error) {
      response.set(
        "WWW-Authenticate",
        // A client that sent nothing of this scheme is only told what is wanted (RFC 6750, 3.1).
        /^Bearer\b/i.test(header ?? "")
          ? 'Bearer realm="santinela", error="invalid_token"'
          : 'Bearer realm="santinela"',
      );
      next(error);
      return;
    }
    next();
  };
}

export function tokenOf(request: Request): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? "")?.[1];
}

/** Who is asking; only behind `authenticate`. */
export function principalOf(request: Request): Principal {
  const principal = principals.get(request);
  if (!principal) throw new Error(`${request.method} ${request.path} has a handler before authentication`);
  return principal;
}

/** Who may come in where; each is a chain of handlers. */
export interface AuthGuards {
  /** A valid token, also one of somebody who must set a password first. */
  readonly token: readonly RequestHandler[];
  /** Anybody signed in, with a password of their own. */
  readonly signedIn: readonly RequestHandler[];
  /** "Operator or administrator rights are needed." */
  readonly interface: readonly RequestHandler[];
  /** Beside one of the others: administrators alone. */
  readonly administrator: RequestHandler;
  /** Whether somebody who came in with this request would still be let in now; for answers that go on for long. */
  readonly isStillAuthorized: (request: Request) => boolean;
}

export function createAuthGuards(tokens: TokenService, events: EventService): AuthGuards {
  const refuseUnless = (may: (principal: Principal) => boolean, message: string): RequestHandler => {
    return (request, _response, next) => {
      const principal = principalOf(request);
      if (!may(principal)) {
        events.forbidden(actorOf(principal), `${request.method} ${request.path.slice(0, PATH_LENGTH_KEPT)}`);
        throw new AppError("forbidden", message);
      }
      next();
    };
  };
  const token = [authenticate(tokens)];
  const ownPassword = refuseUnless(
    ({ mustChangePassword }) => mustChangePassword !== true,
    "this password was made by the program; set one of your own with POST /site/password or santinela user passwd",
  );
  const signedIn = [...token, ownPassword];
  const role = refuseUnless(mayUseApi, "operator or administrator rights are needed");
  const administrator = refuseUnless(
    (principal) => principal.role === "administrator",
    "administrator rights are needed",
  );
  const isStillAuthorized = (request: Request): boolean => {
    if (isLocal(request)) return true;
    try {
      tokens.verify(tokenOf(request) ?? "", "");
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  };
  return { token, signedIn, interface: [...signedIn, role], administrator, isStillAuthorized };
}

/** So much of a refused path is kept in the event log. */
const PATH_LENGTH_KEPT = 100;
