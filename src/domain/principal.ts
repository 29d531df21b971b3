import type { Actor } from "./event.ts";
import type { ObjectiveScope } from "./objective.ts";

/** Who is asking. */
export interface Principal {
  /** Number of the account; 0 for whoever the control socket's file permissions let in. */
  readonly accountId: number;
  readonly email: string;
  readonly role: Role;
  /** Its password was made by the program: it may set another one and do nothing else. */
  readonly mustChangePassword?: boolean;
  /** The objectives that the lists show it; undefined for all of them. */
  readonly objectives?: ObjectiveScope | undefined;
  /** Where the request came from, for the event log: a network address, or `control socket`. */
  readonly from: string;
}

/** `viewer` may sign in and look at the panel; the interface's endpoints answer it 403. */
export type Role = "administrator" | "operator" | "viewer";

export const ROLES: readonly Role[] = ["administrator", "operator", "viewer"];

/** Whether the principal may use the interface's endpoints: "operator or administrator rights". */
export function mayUseApi(principal: Principal): boolean {
  return principal.role === "operator" || principal.role === "administrator";
}

/** The principal as the event log names it. */
export function actorOf({ email, from }: Principal): Actor {
  return { who: email, from };
}

/** The account that trips are posted as. It has no password, so nobody can sign in as it. */
export const DEVICE_EMAIL = "device@santinela.local";

/** Address of the administrator that the first start makes, until somebody has made it their own. */
export const INITIAL_ADMIN_EMAIL = "admin@santinela.local";
