import type { Config } from "../config/config.ts";
import { textDiff } from "../config/text-diff.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import {
  earlierConfigurations,
  earlierText,
  hashOfText,
  keptPath,
  type EarlierConfiguration,
} from "../ops/earlier-configurations.ts";
import { checkedText, currentText } from "./configuration-check.ts";
import type { ConfigurationEditorParts } from "./configuration-editor.ts";
import type {
  ConfigurationErrorView,
  ConfigurationResult,
  EarlierConfigurationProposalView,
  EarlierConfigurationsView,
  EarlierConfigurationView,
} from "./configuration-view.ts";

/**
 * Options besides zones that may go back with them. Not those that say where alarms go, who may sign in, which broker is used,
 * and where the data are: a stolen session must not take the site away from its centre, not even to an earlier state.
 */
const RETURNABLE: readonly string[] = [
  "site.name",
  "site.timezone",
  "site.locale",
  "profiles",
  "gpio",
  "objectives",
  "outputs",
  "onBattery",
  "log",
];

/** The last texts of the configuration file, and the return to one of them. */
export class EarlierConfigurations {
  readonly #parts: ConfigurationEditorParts;

  constructor(parts: ConfigurationEditorParts) {
    this.#parts = parts;
  }

  /** @throws AppError `conflict` if there is no configuration file, or it cannot be read */
  list(): EarlierConfigurationsView {
    const { config } = this.#parts;
    const text = currentText(config);
    const earlier = earlierConfigurations(config.dataDir).map((one) => viewOf(one, text));
    return { hash: hashOfText(text), earlier };
  }

  /**
   * What a return to an earlier text would do.
   * @throws AppError `not-found` for an unknown name, `conflict` if a file cannot be read
   */
  async propose(name: string): Promise<EarlierConfigurationProposalView> {
    const { text: _text, ...proposal } = await this.#proposed(name);
    return proposal;
  }

  /**
   * Writes an earlier text to the file and applies it.
   * @param hash of the file that the difference was made for
   * @throws AppError `configuration` with the errors, `conflict` if the file has another hash, `not-found`; nothing changes then
   */
  async returnTo(name: string, hash: string, by: Actor): Promise<ConfigurationResult & { diff: string }> {
    const { text, diff, errors, hash: current } = await this.#proposed(name);
    if (hash !== current)
      throw new AppError("conflict", "the configuration file has changed in the meantime", {
        hint: "Read it again and repeat the change.",
      });
    if (errors.length > 0) throw new (await import("../config/problems.ts")).ConfigurationError(errors);
    if (diff === "") throw new AppError("conflict", "the configuration file has this text already");
    const result = await this.#parts.control.applyConfiguration({ text, hash, diff, by });
    return { ...result, diff };
  }

  async #proposed(name: string): Promise<EarlierConfigurationProposalView & { text: string }> {
    const { config } = this.#parts;
    const before = currentText(config);
    const text = earlierText(config.dataDir, name);
    const { errors: found, ...checked } = await checkedText(this.#parts, text, () => {});
    const { zonesIn } = await import("../config/zone-edits.ts");
    const zones = found.length === 0 ? zonesIn(text) : [];
    const errors = [...found, ...onlyInFile([...checked.applied, ...checked.needsRestart], config)].map(
      (error) => inKeptText(error, config, name),
    );
    const [hash, diff] = [hashOfText(before), textDiff(before, text)];
    return { name, text, hash, diff, errors, zones, ...checked };
  }
}

function viewOf(
  { name, text, replacedAtMs, origin }: EarlierConfiguration,
  current: string,
): EarlierConfigurationView {
  return {
    name,
    replacedAt: new Date(replacedAtMs).toISOString(),
    writtenAt: origin ? new Date(origin.atMs).toISOString() : null,
    source: origin ? (origin.by ? "change" : "file") : "unknown",
    who: origin?.by?.who ?? null,
    from: origin?.by?.from ?? null,
    isCurrent: text === current,
  };
}

/** The error of options that this text would change and that a browser may not change. */
function onlyInFile(options: readonly string[], { file }: Config): ConfigurationErrorView[] {
  const fixed = options.filter(
    (option) =>
      !RETURNABLE.some(
        (one) => option === one || option.startsWith(`${one}.`) || option.startsWith(`${one} `),
      ),
  );
  if (fixed.length === 0) return [];
  const names = fixed.join(", ");
  return [{ place: `${file}:1:1`, message: `only the configuration file on the device can change ${names}` }];
}

/** The place of an error in the kept text, which is not that of the same line in the file. */
function inKeptText(
  { place, message }: ConfigurationErrorView,
  { file, dataDir }: Config,
  name: string,
): ConfigurationErrorView {
  const isInFile = file !== null && place.startsWith(`${file}:`);
  return { message, place: isInFile ? `${keptPath(dataDir, name)}${place.slice(file.length)}` : place };
}
