import { accessSync, constants } from "node:fs";
import { textDiff } from "../config/text-diff.ts";
import type { ConfigurationEdit, SiteText } from "../config/site-edits.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import type { Remote } from "../domain/remote.ts";
import { hashOfText, keptConfigurations } from "../ops/earlier-configurations.ts";
import { checkedText, currentText, unappliedIn, type CheckParts } from "./configuration-check.ts";
import type {
  ConfigurationProposalView,
  ConfigurationResult,
  ConfiguredZonesView,
} from "./configuration-view.ts";
import type { DaemonControl } from "./settings.ts";

export interface ConfigurationEditorParts extends CheckParts {
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
    const text = currentText(this.#parts.config);
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
    const before = currentText(this.#parts.config);
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
    const { errors, warnings, needsRestart } = await checkedText(this.#parts, text, (next) =>
      assertInForce(wanted, next.site),
    );
    const diff = textDiff(before, text);
    const applied = await unappliedIn(this.#parts, before);
    return { text, hash, diff, zones: zonesIn(text), errors, warnings, needsRestart, applied };
  }
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
