import { X509Certificate } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { LoadOptions } from "../config/load.ts";
import type { ConfigurationText } from "../config/parsed-text.ts";
import { textDiff } from "../config/text-diff.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { refText } from "../domain/objective.ts";
import { hasOtherName } from "../domain/objective-names.ts";
import type { Remote } from "../domain/remote.ts";
import { assertCentreAddress, claimAccount, passwordFor } from "../ops/account-claim.ts";
import { objectiveNames } from "../ops/centre-objective-names.ts";
import { hashOfText } from "../ops/earlier-configurations.ts";
import { hasSentRecords } from "../ops/sent-records.ts";
import { readJson, writePrivate } from "../store/durable-files.ts";
import { isWritable } from "./configuration-editor.ts";
import type { EnrolmentRequest, EnrolmentResult, EnrolmentView } from "./configuration-view.ts";
import type { DaemonControl } from "./settings.ts";

interface CentreEnrolmentParts {
  readonly config: Pick<Config, "file" | "role" | "dataDir" | "http">;
  readonly load: LoadOptions;
  readonly control: Pick<Remote<DaemonControl>, "applyConfiguration">;
  /** Creates a password with at least 100 random bits. */
  readonly newPassword: () => string;
}

/** In `dataDir/secrets`, because the service may create nothing beside its configuration. */
const FILES = { password: "enrolled.password", ca: "enrolled-ca.crt", draft: "enrolment.json" } as const;
const HINTS = {
  unanswered: "Check the address (http or https) and the network, then try again with the same code.",
  // The centre's own message has the remedy.
  refused: "",
  foreign: "Check the address. A dispatch centre of another vendor has its own accounts.",
};

/**
 * Enrols a site that has no dispatch centre yet, in the web panel. It cannot change where alarms go: a site with a centre is
 * changed in its file only (decision 0050).
 */
export class CentreEnrolment {
  readonly #parts: CentreEnrolmentParts;
  #isBusy = false;

  constructor(parts: CentreEnrolmentParts) {
    this.#parts = parts;
  }

  /** Whether the site can be enrolled here. */
  async view(): Promise<EnrolmentView> {
    const { config, load } = this.#parts;
    const file = config.file;
    const obstacle = this.#obstacle();
    const { configurationText, readConfiguration } = await import("../config/load.ts");
    const next = readConfiguration(configurationText(load), { ...load, allowMissingFiles: true });
    const centre = next.upstream?.baseUrl ?? null;
    const hasCentre = centre !== null || next.upstreams.length > 0;
    return {
      site: next.site.ref,
      file,
      centre,
      // What the site has comes first: it may have a centre in a file that cannot be changed here.
      obstacle: hasCentre ? "has-centre" : obstacle,
      takesReference: await this.#takesReference(configurationText(load)),
    };
  }

  /**
   * Exchanges the code for the account, writes the section `upstream` and the reference of the code on trial and applies them. The
   * same order succeeds again for an hour, also if the response of the centre was lost.
   * @throws AppError `conflict` if the site has a centre or its file cannot be changed here, `invalid` for an unusable
   *   address or authority, `forbidden` for an unusable code, `too-many-requests` after wrong ones, `unavailable` without an answer,
   *   `bad-data` for another kind of server
   */
  async enrol(order: EnrolmentRequest, by: Actor): Promise<EnrolmentResult> {
    if (this.#isBusy) throw new AppError("conflict", "another enrolment is running", { retryAfterS: 5 });
    this.#isBusy = true;
    try {
      return await this.#enrol(order, by);
    } catch (error) {
      throw asRefusal(error);
    } finally {
      this.#isBusy = false;
    }
  }

  async #enrol({ centre, code, ca }: EnrolmentRequest, by: Actor): Promise<EnrolmentResult> {
    const { config, load, control } = this.#parts;
    const obstacle = this.#obstacle();
    if (obstacle !== null) throw new AppError("conflict", OBSTACLES[obstacle]);
    assertCentreAddress(centre);
    if (ca !== undefined) assertAuthority(ca);
    // Loaded on use: the YAML library takes memory that a running daemon does not need otherwise.
    const source = (await import("../config/load.ts")).configurationText(load);
    // Before the code is used: the change must be possible.
    const { site } = await this.#changed(source, { centre, email: "site@sites.example", ca });
    const { password, takesReference } = this.#draft({ centre, code }, await this.#takesReference(source));
    const own = takesReference ? {} : { site: site.ref };
    const account = await claimAccount({ centre, ca, hints: HINTS }, { code, ...own, password });
    this.#keep(FILES.password, `${password}\n`);
    if (ca !== undefined) this.#keep(FILES.ca, ca);
    const { withReference } = await import("../config/site-edits.ts");
    const named = account.site === site.ref ? source.text : withReference(source.text, account.site);
    const { text, zones } = await this.#changed(
      { ...source, text: named },
      { centre, email: account.email, ca },
    );
    const diff = textDiff(source.text, text);
    const result = await control.applyConfiguration({ text, hash: hashOfText(source.text), diff, by });
    if (result.state === "applied") rmSync(this.#path(FILES.draft), { force: true });
    const names = await objectiveNames({ centre, ca, email: account.email, password }, zones);
    const objectives: readonly string[] = account.objectives;
    const outside = zones.filter(({ objective: { type, id } }) => !objectives.includes(`${type}/${id}`));
    return {
      state: result.state,
      reason: result.reason,
      site: account.site,
      centre,
      objectives,
      zonesOutside: outside.map(({ id }) => id),
      names: names.map(({ here, there, ...ref }) => ({
        objective: refText(ref),
        here,
        there,
        differ: hasOtherName({ here, there }),
      })),
      file: config.file ?? "",
    };
  }

  /**
   * Whether the site takes the reference of its code. It keeps its own if a centre may have records with it, or if an environment
   * variable or an unusual file prevents the change.
   */
  async #takesReference(source: ConfigurationText): Promise<boolean> {
    const { config, load } = this.#parts;
    if (hasSentRecords(config.dataDir)) return false;
    const { withReference } = await import("../config/site-edits.ts");
    const { readConfiguration } = await import("../config/load.ts");
    try {
      const text = withReference(source.text, ANOTHER);
      const { site } = readConfiguration({ ...source, text }, { ...load, allowMissingFiles: true });
      return site.ref === ANOTHER;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  #obstacle(): Exclude<EnrolmentView["obstacle"], "has-centre"> {
    const { file, role, http } = this.#parts.config;
    if (role === "centre") return "is-centre";
    if (file === null) return "no-file";
    if (http.configuration !== "panel") return "file-only";
    return isWritable(file) ? null : "not-writable";
  }

  /** The text with the centre, and what it means. @throws AppError `conflict`, or `configuration` for a file with errors */
  async #changed(
    source: ConfigurationText,
    { centre, email, ca }: Pick<EnrolmentRequest, "centre" | "ca"> & { readonly email: string },
  ): Promise<{ text: string } & Pick<Config, "site" | "zones">> {
    const options = { ...this.#parts.load, allowMissingFiles: true };
    const { readConfiguration } = await import("../config/load.ts");
    const { upstream, upstreams, site, zones } = readConfiguration(source, options);
    if (upstream !== null || upstreams.length > 0)
      throw new AppError("conflict", OBSTACLES["has-centre"], {
        hint: "Use santinela enrol on the device.",
      });
    const { withUpstream } = await import("../config/upstream-edit.ts");
    const text = withUpstream(source.text, {
      baseUrl: centre,
      email,
      passwordFile: this.#path(FILES.password),
      ...(ca === undefined ? {} : { caFile: this.#path(FILES.ca) }),
    });
    return { text, site, zones };
  }

  /**
   * What is sent, on the disk before that. A repetition sends the same: a change that was taken back may have sent records with the
   * reference of the code meanwhile.
   */
  #draft(
    order: Pick<EnrolmentRequest, "centre" | "code">,
    takesNow: boolean,
  ): { password: string; takesReference: boolean } {
    const earlier = readJson(this.#path(FILES.draft));
    const { sent, text } = passwordFor(order, earlier, takesNow, this.#parts.newPassword);
    this.#keep(FILES.draft, text);
    return sent;
  }

  #keep(name: string, text: string): void {
    const path = this.#path(name);
    try {
      writePrivate(path, text);
    } catch (cause) {
      throw new AppError("unavailable", `cannot write ${path}: ${messageOf(cause)}`, { cause });
    }
  }

  #path(name: string): string {
    return join(this.#parts.config.dataDir, "secrets", name);
  }
}

/** A reference that only shows whether the file can be given another one. */
const ANOTHER = "another-reference";

const OBSTACLES = {
  "is-centre": "this is a dispatch centre; sites are enrolled at a site",
  "no-file": "this installation has no configuration file",
  "file-only": "http.configuration is file-only: the dispatch centre is set in the configuration file",
  "not-writable": "the service may not write the configuration file",
  "has-centre":
    "this site has a dispatch centre; the destination of alarms can be changed only on the device",
} as const;

function assertAuthority(ca: string): void {
  try {
    // Only to see whether it can be read.
    void new X509Certificate(ca);
  } catch (cause) {
    throw new AppError("invalid", `the certificate of the authority cannot be used: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** Errors of the command line as those of a request. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, hint, retryAfterS } = error;
  const other = ({ usage: "invalid", busy: "too-many-requests", "cannot-create": "conflict" } as const)[
    code as "usage" | "busy" | "cannot-create"
  ];
  if (other === undefined) return error;
  const details = retryAfterS === undefined ? { hint } : { hint, retryAfterS };
  return new AppError(other, message, { ...details, cause: error });
}
