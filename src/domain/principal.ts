import type { Actor } from "./event.ts";
import type { ObjectiveRef, ObjectiveScope } from "./objective.ts";

/** The authenticated user of a request. */
export interface Principal {
  /** Id of the account; 0 for users of the control socket, which file permissions protect. */
  readonly accountId: number;
  readonly email: string;
  readonly role: Role;
  /** Whether the password was generated: then only setting another one is allowed. */
  readonly mustChangePassword?: boolean;
  /** The objectives that lists show; undefined for all. */
  readonly objectives?: ObjectiveScope | undefined;
  /** `site.ref` of the site that uses the account: then it may use only its own objectives and records. */
  readonly site?: string | undefined;
  /** Origin of the request for the event log: a network address, or `control socket`. */
  readonly from: string;
}

/** `viewer` may sign in and use the panel; the API rejects it with 403. */
export type Role = "administrator" | "operator" | "viewer";

export const ROLES: readonly Role[] = ["administrator", "operator", "viewer"];

/** Whether the principal may use the API: "operator or administrator rights". */
export function mayUseApi(principal: Principal): boolean {
  return principal.role === "operator" || principal.role === "administrator";
}

/** Whether the account of a site may use an objective. */
export function isOwnObjective({ objectives = [] }: Principal, { type, id }: ObjectiveRef): boolean {
  return objectives.some((own) => own.type === type && own.id === id);
}

/** The principal for the event log. */
export function actorOf({ email, from }: Principal): Actor {
  return { who: email, from };
}

/** Who acts over the control socket, that is from the command line, and from where, for the event log. */
export const CONTROL_SOCKET = "control socket";

/** The account that posts trips. It has no password, so it cannot be used to sign in. */
export const DEVICE_EMAIL = "device@santinela.local";

/** E-mail address of the initial administrator, until it is changed. */
export const INITIAL_ADMIN_EMAIL = "admin@santinela.local";
