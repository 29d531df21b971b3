import type { IncomingMessage } from "node:http";
import type { Request, RequestHandler } from "express";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { actorOf, CONTROL_SOCKET, mayUseApi, type Principal } from "../domain/principal.ts";
import type { EventNotes } from "../service/event-notes.ts";
import type { TokenService } from "../service/tokens.ts";

/** Principal of the control socket, which its file permissions protect. */
const LOCAL_ADMINISTRATOR: Principal = {
  accountId: 0,
  email: CONTROL_SOCKET,
  role: "administrator",
  from: CONTROL_SOCKET,
};

const principals = new WeakMap<IncomingMessage, Principal>();
const localSockets = new WeakSet<object>();

/** Marks a connection of the control socket; its requests need no token. */
export function markAsControlSocket(socket: object): void {
  localSockets.add(socket);
}

export function isLocal(request: IncomingMessage): boolean {
  return localSockets.has(request.socket);
}

/** Whether a request has a valid token or came over the control socket. */
export function isSignedIn(request: IncomingMessage): boolean {
  return principals.has(request);
}

/** The account of a request; undefined before the sign-in. */
export function accountOf(request: IncomingMessage): number | undefined {
  return principals.get(request)?.accountId;
}

/** Throws for a principal without a right. */
type RightCheck = (principal: Principal, request: Request) => void;

/**
 * Admits requests with a valid token and the rights only, before body, id or query are read. Responds with 401 and
 * `WWW-Authenticate` for others (RFC 9110 15.5.2, RFC 6750 section 3). One handler, because Express takes longer to call one
 * than this to check.
 */
function admit(tokens: TokenService, rights: readonly RightCheck[]): RequestHandler {
  return async (request, response, next) => {
    let principal: Principal;
    try {
      principal = isLocal(request) ? LOCAL_ADMINISTRATOR : await tokenPrincipal(tokens, request);
      principals.set(request, principal);
    } catch (error) {
      // Without the database it is not known whether the token is valid.
      if (!(error instanceof AppError) || error.code !== "unauthenticated") throw error;
      // No error code for a request without a bearer token (RFC 6750, 3.1).
      const hasBearer = /^Bearer\b/i.test(request.headers.authorization ?? "");
      const challenge = 'Bearer realm="santinela"';
      response.set("WWW-Authenticate", hasBearer ? `${challenge}, error="invalid_token"` : challenge);
      throw error;
    }
    for (const check of rights) check(principal, request);
    next();
  };
}

async function tokenPrincipal(tokens: TokenService, request: Request): Promise<Principal> {
  const token = tokenOf(request);
  if (token === undefined)
    throw new AppError(
      "unauthenticated",
      "authentication required: send Authorization: Bearer <token> from POST /auth/token",
    );
  // `request.ip` would read the headers of proxies first, of which none is trusted.
  return tokens.verify(token, request.socket.remoteAddress ?? "");
}

/** The bearer token of a request; undefined without one. */
export function tokenOf(request: Request): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? "")?.[1];
}

/** The principal of a request; only after `authenticate`. */
export function principalOf(request: Request): Principal {
  const principal = principals.get(request);
  if (!principal) throw new Error(`${request.method} ${request.path} has a handler before authentication`);
  return principal;
}

/** The user of a request, for the event log; only after `authenticate`. */
export function requestActor(request: Request): Actor {
  return actorOf(principalOf(request));
}

/** Handlers that admit or reject requests. */
export interface AuthGuards {
  /** A valid token, even if the account must first set a password. */
  readonly token: readonly RequestHandler[];
  /** Any signed-in account that has set its password. */
  readonly signedIn: readonly RequestHandler[];
  /** Operators and administrators. */
  readonly api: readonly RequestHandler[];
  /** Administrators only. */
  readonly administrator: readonly RequestHandler[];
  /** The guards for routes about this installation as a whole: not for the account of a site. */
  readonly installation: Pick<AuthGuards, "token" | "signedIn" | "api" | "administrator">;
  /** Whether a request would still be authorised now; for long responses. */
  readonly isStillAuthorized: (request: Request) => Promise<boolean>;
}

export function createAuthGuards(tokens: TokenService, events: EventNotes): AuthGuards {
  const requireRight = (isAllowed: (principal: Principal) => boolean, message: string): RightCheck => {
    return (principal, request) => {
      if (isAllowed(principal)) return;
      events.forbidden(actorOf(principal), `${request.method} ${request.path.slice(0, PATH_LENGTH_KEPT)}`);
      throw new AppError("forbidden", message);
    };
  };
  const ownPassword = requireRight(
    ({ mustChangePassword }) => mustChangePassword !== true,
    "password change required: use POST /site/password or santinela user passwd",
  );
  const mayUse = requireRight(mayUseApi, "operator or administrator rights are needed");
  const isAdministrator = ({ role }: Principal): boolean => role === "administrator";
  const administers = requireRight(isAdministrator, "administrator rights are needed");
  const isStillAuthorized = async (request: Request): Promise<boolean> => {
    if (isLocal(request)) return true;
    try {
      await tokens.verify(tokenOf(request) ?? "", "");
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthenticated") return false;
      throw error;
    }
  };
  const isUser = ({ site }: Principal): boolean => site === undefined;
  const users = requireRight(isUser, "the account of a site may use its own objectives and records only");
  const guard = (...rights: RightCheck[]): RequestHandler[] => [admit(tokens, rights)];
  const token = guard();
  const guardsOf = (...further: RightCheck[]): AuthGuards["installation"] => ({
    token,
    signedIn: guard(ownPassword, ...further),
    api: guard(ownPassword, mayUse, ...further),
    administrator: guard(ownPassword, mayUse, administers, ...further),
  });
  return { ...guardsOf(), installation: guardsOf(users), isStillAuthorized };
}

/** Maximum length of a rejected path in the event log. */
const PATH_LENGTH_KEPT = 100;
