import type { Role } from "../../domain/principal.ts";

/** The account of a token. */
export interface AccountView {
  readonly email: string;
  readonly role: Role;
  /** Whether the password only allows setting a new one. */
  readonly mustChangePassword: boolean;
}

/** An account in the list for administrators. */
export interface PersonView {
  readonly email: string;
  readonly role: Role;
  readonly disabled: boolean;
}
