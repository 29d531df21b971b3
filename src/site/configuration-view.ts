import type { Actor } from "../domain/event.ts";
import type { ReloadView } from "./administration-view.ts";

/** The zones and the site as the configuration file has them. */
export interface ConfiguredZonesView {
  /** Path of the file; null if there is none. */
  readonly file: string | null;
  /** Names the state of the file; a change is based on it. Null without a file. */
  readonly hash: string | null;
  /** Whether they may be changed here (`http.configuration`). */
  readonly mode: "panel" | "file-only";
  /** Whether the service may write the file. */
  readonly isWritable: boolean;
  /** As written, without defaults, in the order of the file. */
  readonly zones: readonly Readonly<Record<string, unknown>>[];
  /** What can be changed of the site; with the value in force where the file has none. */
  readonly site: { readonly name: string; readonly timezone: string; readonly locale: string };
  /** Names in `gpio.chips` that zones can use. */
  readonly chips: readonly string[];
  /** Names of the earlier texts that are kept, the newest first. */
  readonly kept: readonly string[];
}

/** What a change would do; nothing is written. */
export interface ConfigurationProposalView {
  /** The state of the file that the change is based on. */
  readonly hash: string;
  /** Lines with `-`, `+` or a blank before them, each part after `@@ -line +line @@`; empty if nothing changes. */
  readonly diff: string;
  /** Errors of the changed file; it can be applied only without any. */
  readonly errors: readonly ConfigurationErrorView[];
  readonly warnings: readonly string[];
  /** Options whose values in the file apply only after a restart, those of earlier changes included. */
  readonly needsRestart: readonly string[];
  /**
   * What the change puts in force besides the zones that it names, such as options that were edited in the file without a reload;
   * other zones as `zones: door, gate`.
   */
  readonly applied: readonly string[];
  readonly zones: readonly Readonly<Record<string, unknown>>[];
}

export interface ConfigurationErrorView {
  /** `file:line:col`, or an environment variable. */
  readonly place: string;
  readonly message: string;
}

/** The last texts that the configuration file had, the newest first. */
export interface EarlierConfigurationsView {
  /** Names the state of the file; a return is based on it. */
  readonly hash: string;
  readonly earlier: readonly EarlierConfigurationView[];
}

/** A text that the configuration file had before. */
export interface EarlierConfigurationView {
  /** Names it in `/site/configuration/earlier/{name}`. */
  readonly name: string;
  /** When another text replaced it. */
  readonly replacedAt: string;
  /** When it was written, or first in force if it was edited in the file; null if that is unknown. */
  readonly writtenAt: string | null;
  /**
   * Who wrote it. `change`: an administrator in the web panel or over `/site`. `file`: it was edited in the file, or has been there
   * from the beginning. `unknown`: it was kept by a release that did not record it.
   */
  readonly source: "change" | "file" | "unknown";
  /** The administrator; null unless `source` is `change`. */
  readonly who: string | null;
  /** Address of the administrator; null unless `source` is `change`. */
  readonly from: string | null;
  /** Whether the file has this text now. */
  readonly isCurrent: boolean;
}

/** What a return to an earlier text would do; nothing is written. */
export interface EarlierConfigurationProposalView extends ConfigurationProposalView {
  readonly name: string;
}

/** Result of a change that was written and applied. */
export interface ConfigurationResult {
  /** `reverted`: the daemon was not healthy with it, and the earlier file is in force again. */
  readonly state: "applied" | "reverted";
  /** Why it was undone; null if it was not. */
  readonly reason: string | null;
  /** The state of the file now. */
  readonly hash: string;
  /** The changes in force; null if it was undone. */
  readonly reload: ReloadView | null;
}

/** A checked text to apply. */
export interface ConfigurationRequest {
  readonly text: string;
  /** The state of the file that the text is based on. */
  readonly hash: string;
  readonly diff: string;
  readonly by: Actor;
}

/** The password was asked again: for a few minutes changes may be applied with it. */
export interface ConfirmationView {
  readonly confirmation: string;
  readonly expiresInS: number;
}

/** Whether the site can be enrolled at a dispatch centre in the web panel. */
export interface EnrolmentView {
  /** `site.ref`. */
  readonly site: string;
  /** Whether the site takes the reference of its one-time code; otherwise the code has to be for `site`. */
  readonly takesReference: boolean;
  /** Path of the configuration file; null if there is none. */
  readonly file: string | null;
  /** Base URL of the dispatch centre that the site has; null without one. */
  readonly centre: string | null;
  /** Why it cannot; null if it can. */
  readonly obstacle: "has-centre" | "is-centre" | "no-file" | "file-only" | "not-writable" | null;
}

/** What a person enters to enrol the site. */
export interface EnrolmentRequest {
  /** Base URL of the dispatch centre. */
  readonly centre: string;
  /** The one-time code that was created there. */
  readonly code: string;
  /** PEM of the certificate authority of the centre; undefined for a public one. */
  readonly ca: string | undefined;
}

/** The site has an account at the centre. */
export interface EnrolmentResult {
  /** `reverted`: the daemon was not healthy with the change, and the earlier file is in force again. */
  readonly state: "applied" | "reverted";
  /** Why it was taken back; null if it was not. */
  readonly reason: string | null;
  /** The reference of the site at the centre. */
  readonly site: string;
  readonly centre: string;
  /** What the account may use, as type and id. */
  readonly objectives: readonly string[];
  /** Ids of the zones whose objectives it may not use: their trips would wait. */
  readonly zonesOutside: readonly string[];
  /** The names of the zones' objectives at the centre, as far as it has answered. */
  readonly names: readonly EnrolledNameView[];
  readonly file: string;
}

/** An objective of zones with its names. */
export interface EnrolledNameView {
  /** Type and id. */
  readonly objective: string;
  /** In the configuration; null if it does not name it. */
  readonly here: string | null;
  readonly there: string;
  /** Whether the names are more than another way of writing the same: the id may be another building at the centre. */
  readonly differ: boolean;
}
