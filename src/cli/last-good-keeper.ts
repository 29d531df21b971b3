import type { Config } from "../config/config.ts";
import { keepLastGood, replacedByLastGood } from "../config/last-good.ts";
import type { ConfigurationText } from "../config/parsed-text.ts";
import type { Clock } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import { isOnTrial } from "../ops/configuration-trial.ts";
import { keepReplaced } from "../ops/earlier-configurations.ts";
import type { Terminal } from "./terminal.ts";

/** Saves the last good configuration, and keeps the text that it replaces among the earlier ones. */
export class LastGoodKeeper {
  readonly #terminal: Pick<Terminal, "stderr">;
  readonly #clock: Pick<Clock, "wallMs">;
  #onProven = (): void => {};

  constructor(terminal: Pick<Terminal, "stderr">, clock: Pick<Clock, "wallMs">) {
    this.#terminal = terminal;
    this.#clock = clock;
  }

  /** On a full disk the previous one is kept. */
  save(config: Config, source: ConfigurationText): void {
    try {
      // Before it is replaced: after a power cut in between, it is found again and not kept twice.
      const replaced = replacedByLastGood(config, source);
      if (replaced) keepReplaced(config.dataDir, replaced.text, replaced.sinceMs, this.#clock.wallMs());
    } catch (error) {
      this.#terminal.stderr.write(`the earlier configuration could not be kept: ${messageOf(error)}\n`);
    }
    try {
      keepLastGood(config, source);
    } catch (error) {
      this.#terminal.stderr.write(`the last good configuration could not be saved: ${messageOf(error)}\n`);
    }
  }

  /** Saves a text that a reload has applied, once it is proven if it is on trial. */
  applied(config: Config, source: ConfigurationText): void {
    this.forget();
    if (!isOnTrial(config.dataDir)) this.save(config, source);
    else
      this.#onProven = () => {
        this.forget();
        this.save(config, source);
      };
  }

  /** Forgets what waited for its proof: a later text has been applied. */
  forget(): void {
    this.#onProven = () => {};
  }

  proven(): void {
    this.#onProven();
  }
}
