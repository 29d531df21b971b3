import type { Role } from "../domain/principal.ts";

/** One option, such as `http.port`, with its source: `file:line:col`, an environment variable, or `default`. */
export interface OptionView {
  readonly option: string;
  readonly value: unknown;
  readonly source: string;
}

/** Result of a reload. */
export interface ReloadView {
  /** Zone ids. A zone with a changed sensor starts without a reading; other zones keep their state. */
  readonly zones: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** Other changed options that are in force. */
  readonly applied: readonly string[];
  /** Changed options that need a restart. */
  readonly needsRestart: readonly string[];
  /** Valid settings that are probably unintended. */
  readonly warnings: readonly string[];
}

export interface UploadView {
  /** Number of the upload. */
  readonly copy: number;
  /** Bytes received so far. */
  readonly bytes: number;
}

export interface RestoreView {
  readonly recordsInBackup: number;
  /** Records only in the current database, which is kept. */
  readonly onlyInCurrent: readonly number[];
  readonly onlyInBackup: readonly number[];
  /** The reference of another site, if the backup is of that one: it is restored only if that is confirmed. */
  readonly otherSite?: string;
  /** The entries of its audit trail that are missing or altered, such as `12, 15-17`; missing if there are none. */
  readonly brokenTrail?: string;
}

export interface DraftView {
  /** In order; an answer may add or remove questions. */
  readonly questions: readonly QuestionView[];
  /** The text of the configuration; null while an answer is missing or invalid. */
  readonly configuration: string | null;
  /** Path of the configuration file. */
  readonly file: string;
  /** Whether the file exists and would be replaced. */
  readonly exists: boolean;
  /** Secret files that the configuration refers to. */
  readonly secretFiles: readonly string[];
  /** Errors of the configuration as `file:line:col: …`; null if it is valid. */
  readonly errors: string | null;
}

export interface QuestionView {
  readonly name: string;
  readonly text: string;
  /** Allowed answers; null for any text. */
  readonly choices: readonly string[] | null;
  /** Default for an empty answer; null if an answer is required. */
  readonly fallback: string | null;
  /** Problem of the answer; null if it is valid. */
  readonly problem: string | null;
}

/** Where other devices open the web panel. */
export interface PanelAddressView {
  /** URLs, the most reliable one first; none if only this device can open it. */
  readonly addresses: readonly string[];
  /** The first address as a QR code: an SVG path and the length of its sides in modules; null without an address. */
  readonly code: { readonly path: string; readonly size: number } | null;
  /** SHA-256 of the own certificate authority; null without one. */
  readonly fingerprint: string | null;
}

/** The account of a token. */
export interface AccountView {
  readonly email: string;
  readonly role: Role;
  /** Whether the password only allows setting a new one. */
  readonly mustChangePassword: boolean;
  /** Whether it may delete interventions, see `http.deleteNeedsAdministrator`. */
  readonly mayDelete: boolean;
  /** The reference of the enrolment, for the account of a site. */
  readonly site?: string;
}

/** An account in the list for administrators. */
export interface PersonView {
  readonly email: string;
  readonly role: Role;
  readonly disabled: boolean;
}
