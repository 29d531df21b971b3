import type { Role } from "../../domain/principal.ts";

/** Whom the token of a request belongs to. */
export interface AccountView {
  readonly email: string;
  readonly role: Role;
  /** Its password is good for one use: to set another one. */
  readonly mustChangePassword: boolean;
}

/** Somebody who may sign in, or might before being locked out. */
export interface PersonView {
  readonly email: string;
  readonly role: Role;
  readonly disabled: boolean;
}
