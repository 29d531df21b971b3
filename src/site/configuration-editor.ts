import { accessSync, constants, readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { LoadOptions } from "../config/load.ts";
import { textDiff } from "../config/text-diff.ts";
import type { ConfigurationEdit, SiteText } from "../config/site-edits.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import type { Remote } from "../domain/remote.ts";
import { hashOfText, keptConfigurations } from "../ops/configuration-trial.ts";
import type {
  ConfigurationErrorView,
  ConfigurationProposalView,
  ConfigurationResult,
  ConfiguredZonesView,
} from "./configuration-view.ts";
import type { DaemonControl } from "./settings.ts";

interface ConfigurationEditorParts {
  /** The configuration in force. */
  readonly config: Config;
  readonly load: LoadOptions;
  readonly control: Pick<Remote<DaemonControl>, "applyConfiguration">;
}

/** Reads and changes the zones and the site's name in the configuration file, which stays the truth. */
export class ConfigurationEditor {
  readonly #parts: ConfigurationEditorParts;

  constructor(parts: ConfigurationEditorParts) {
    this.#parts = parts;
  }

  /** The zones and the site as the file has them. @throws AppError `conflict` if the file cannot be read this way */
  async zones(): Promise<ConfiguredZonesView> {
    const { file, dataDir, http, gpio, site } = this.#parts.config;
    const chips = Object.keys(gpio.chips ?? {});
    const mode = http.configuration;
    const kept = keptConfigurations(dataDir);
    const { name, timezone, locale } = site;
    const inForce = { name, timezone, locale };
    if (file === null)
      return { file, hash: null, mode, isWritable: false, zones: [], site: inForce, chips, kept };
    const text = this.#text();
    const { zonesIn } = await import("../config/zone-edits.ts");
    const { siteTextIn } = await import("../config/site-edits.ts");
    const written = siteTextIn(text);
    return {
      file,
      hash: hashOfText(text),
      mode,
      isWritable: isWritable(file),
      zones: zonesIn(text),
      site: {
        name: written.name ?? name,
        timezone: written.timezone ?? timezone,
        locale: written.locale ?? locale,
      },
      chips,
      kept,
    };
  }

  /** What the changes would do. @throws AppError `conflict` if the file has another hash, `invalid` for unknown zones */
  async propose(hash: string, edits: readonly ConfigurationEdit[]): Promise<ConfigurationProposalView> {
    const { text: _text, ...proposal } = await this.#edited(hash, edits);
    return proposal;
  }

  /** @throws AppError `conflict` if zones may only be changed in the file */
  assertAllowed(): void {
    if (this.#parts.config.http.configuration !== "panel")
      throw new AppError(
        "conflict",
        "http.configuration is file-only: it is changed in the configuration file",
        {
          hint: "Set http.configuration: panel in the file and restart to allow it here.",
        },
      );
  }

  /**
   * Writes the changes to the file and applies them.
   * @throws AppError `configuration` with the errors, `conflict` as `propose`; nothing changes then
   */
  async apply(
    hash: string,
    edits: readonly ConfigurationEdit[],
    by: Actor,
  ): Promise<ConfigurationResult & { diff: string }> {
    const { text, diff, errors } = await this.#edited(hash, edits);
    if (errors.length > 0) throw new (await import("../config/problems.ts")).ConfigurationError(errors);
    const result = await this.#parts.control.applyConfiguration({ text, hash, diff, by });
    return { ...result, diff };
  }

  async #edited(
    hash: string,
    edits: readonly ConfigurationEdit[],
  ): Promise<ConfigurationProposalView & { text: string }> {
    const before = this.#text();
    if (hashOfText(before) !== hash)
      throw new AppError("conflict", "the configuration file has changed in the meantime", {
        hint: "Read it again and repeat the change.",
      });
    // Loaded on use: the YAML library takes memory that a running daemon does not need otherwise.
    const { zonesIn } = await import("../config/zone-edits.ts");
    const { editedConfiguration } = await import("../config/site-edits.ts");
    const text = editedConfiguration(before, edits);
    const wanted: SiteText = Object.assign(
      {},
      ...edits.map((edit) => (edit.action === "site" ? edit.site : {})),
    );
    const checked = await this.#checked(text, wanted);
    return { text, hash, diff: textDiff(before, text), zones: zonesIn(text), ...checked };
  }

  /** Checked as at a start, with the passwords that this process can read. @param wanted what the site has to be then */
  async #checked(
    text: string,
    wanted: SiteText,
  ): Promise<Pick<ConfigurationProposalView, "errors" | "warnings" | "needsRestart">> {
    const { config, load } = this.#parts;
    const { readConfiguration } = await import("../config/load.ts");
    const { ConfigurationError } = await import("../config/problems.ts");
    try {
      const next = readConfiguration({ file: config.file, text }, load);
      assertInForce(wanted, next.site);
      const { changesOf } = await import("../config/reload.ts");
      return { errors: [], warnings: next.warnings, needsRestart: changesOf(config, next).needsRestart };
    } catch (error) {
      if (error instanceof ConfigurationError) return refused(error.errors);
      if (!(error instanceof AppError) || error.code === "conflict") throw error;
      return refused([{ place: `${config.file}:1:1`, message: error.message }]);
    }
  }

  #text(): string {
    const { file } = this.#parts.config;
    if (file === null)
      throw new AppError("conflict", "this installation has no configuration file", {
        hint: "Create one with santinela init, then restart.",
      });
    try {
      return readFileSync(file, "utf8");
    } catch (cause) {
      throw new AppError("conflict", `cannot read ${file}: ${messageOf(cause)}`, { cause });
    }
  }
}

function refused(
  errors: readonly ConfigurationErrorView[],
): Pick<ConfigurationProposalView, "errors" | "warnings" | "needsRestart"> {
  return { errors, warnings: [], needsRestart: [] };
}

/** @throws AppError `conflict` if an environment variable has another value than the file, which would then change nothing */
function assertInForce(wanted: SiteText, found: Required<SiteText>): void {
  for (const [option, value] of Object.entries(wanted))
    if (found[option as keyof SiteText] !== value)
      throw new AppError(
        "conflict",
        `site.${option} is set by an environment variable and cannot be changed here`,
      );
}

/** Whether the service may write this file. */
export function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
