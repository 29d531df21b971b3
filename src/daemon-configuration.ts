import type { Config } from "./config/config.ts";
import { type Clock, pause } from "./domain/clock.ts";
import type { Condition, Conditions } from "./domain/condition.ts";
import { AppError, messageOf } from "./domain/errors.ts";
import type { Actor, EventDetail } from "./domain/event.ts";
import type { ZoneChanges } from "./domain/zone-changes.ts";
import { proven, revert, takeReverted, takeUnproven, writeOnTrial } from "./ops/configuration-trial.ts";
import { hashOfText } from "./ops/earlier-configurations.ts";
import type { JsonLog } from "./ops/log.ts";
import { faultOfChange, type KnownFaults, knownFaults } from "./ops/trial-faults.ts";
import type { EventNotes } from "./service/event-notes.ts";
import { currentText } from "./site/configuration-check.ts";
import type { ReloadView } from "./site/administration-view.ts";
import type { ConfigurationRequest, ConfigurationResult } from "./site/configuration-view.ts";

interface DaemonConfigurationParts {
  readonly config: Pick<Config, "file" | "dataDir" | "zones">;
  readonly clock: Clock;
  readonly log: JsonLog;
  readonly conditions: Pick<Conditions, "raise"> & { list(): readonly Condition[] };
  readonly events: EventNotes;
  readonly reload: (by: Actor) => Promise<ReloadView>;
  /** Called when a change is proven. */
  readonly onProven: () => void;
  readonly isStalled: () => boolean;
}

/** Time for lines to be opened and brokers to answer a subscription, after the reload has waited for them once. */
const TRIAL_MS = 3_000;
const LOOK_EVERY_MS = 250;
/** Of a difference in the event log; a change of twelve zones has less than half of that. */
const DIFF_LENGTH_MAX = 16_000;
const CORRECT_FILE = "Correct the file on the device, then run santinela reload.";

/** Writes a changed configuration file and applies it on trial; it goes back by itself if the daemon is not healthy after it. */
export class DaemonConfiguration {
  readonly #parts: DaemonConfigurationParts;
  #isBusy = false;

  constructor(parts: DaemonConfigurationParts) {
    this.#parts = parts;
  }

  /**
   * Reports a change that was undone at the start.
   * @param zonesEdited zones that differ from those of the former run; reported too
   */
  start(zonesEdited?: ZoneChanges): void {
    if (zonesEdited) this.#note("zones-edited", { ...zonesEdited });
    const { dataDir, file } = this.#parts.config;
    const trial = takeReverted(dataDir);
    if (trial) this.#noteReverted(trial, trial.diff, "the daemon ended before the change was verified");
    const reason = takeUnproven(dataDir, file);
    if (reason !== undefined) this.#note("configuration-unproven", { reason });
  }

  /**
   * @returns once the change is proven or undone
   * @throws AppError `conflict` if the file is not the one that the change is based on, another change is on trial, or it
   *   cannot be written; `unavailable` if the disk is full; nothing changes then
   */
  async apply(order: ConfigurationRequest): Promise<ConfigurationResult> {
    const { file } = this.#parts.config;
    if (file === null) throw new AppError("conflict", "this installation has no configuration file");
    if (this.#isBusy) throw new AppError("conflict", "another change is being applied", { retryAfterS: 5 });
    this.#isBusy = true;
    try {
      return await this.#apply(file, order);
    } finally {
      this.#isBusy = false;
    }
  }

  async #apply(
    file: string,
    { text, hash, by, ...given }: ConfigurationRequest,
  ): Promise<ConfigurationResult> {
    const { config, clock, conditions, events } = this.#parts;
    if (hashOfText(currentText(config)) !== hash)
      throw new AppError("conflict", "the configuration file has changed in the meantime", {
        hint: "Read it again and repeat the change.",
      });
    const diff = loggedDiff(given.diff, { before: hash, after: hashOfText(text) });
    const before = knownFaults(conditions.list());
    writeOnTrial(config.dataDir, text, { file, ...by, diff }, clock.wallMs());
    const { view, reason } = await this.#tryOut(by, before);
    if (view === null || reason !== null) {
      await this.#goBack(by, diff, reason ?? "it was not applied");
      return { state: "reverted", reason, reload: null, hash };
    }
    proven(config.dataDir);
    this.#parts.onProven();
    events.note({ event: "configuration-changed", ...by, subject: "configuration", detail: { diff } });
    return { state: "applied", reason: null, reload: view, hash: hashOfText(text) };
  }

  /** @returns what was applied, and why the daemon is not healthy with it; null if it is */
  async #tryOut(by: Actor, before: KnownFaults): Promise<{ view: ReloadView | null; reason: string | null }> {
    const { config, clock, conditions, isStalled } = this.#parts;
    try {
      const view = await this.#parts.reload(by);
      const endMs = clock.monotonicMs() + TRIAL_MS;
      for (;;) {
        const found = faultOfChange(conditions.list(), before, view.zones, config.zones);
        if (found !== undefined) return { view, reason: found };
        if (isStalled()) return { view, reason: "trips are no longer processed" };
        if (clock.monotonicMs() >= endMs) return { view, reason: null };
        await pause(clock, LOOK_EVERY_MS);
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { view: null, reason: error.message };
    }
  }

  /** @throws AppError `conflict` if the earlier text cannot be written back: the changed zones stay in force, until the next start tries again */
  async #goBack(by: Actor, diff: string, reason: string): Promise<void> {
    const { config, log, conditions } = this.#parts;
    try {
      revert(config.dataDir);
    } catch (cause) {
      const message = `the change could not be undone (${messageOf(cause)}), and the daemon is not healthy with it: ${reason}`;
      conditions.raise("configuration-invalid", `${message}. ${CORRECT_FILE}`);
      this.#note("configuration-unproven", { reason: message });
      throw new AppError("conflict", message, {
        hint: CORRECT_FILE,
        cause,
      });
    }
    takeReverted(config.dataDir);
    this.#noteReverted(by, diff, reason);
    try {
      await this.#parts.reload(by);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The earlier configuration is in force unless the reload had begun; the next start reads the file.
      log.error("configuration-reload-failed", { reason: error.message });
    }
  }

  #note(event: "zones-edited" | "configuration-unproven", detail: EventDetail): void {
    const { events, log } = this.#parts;
    const from = "configuration file";
    log.warn(event, detail);
    events.note({ event, who: "santinela", from, subject: "configuration", detail });
  }

  #noteReverted({ who, from }: Actor, diff: string, reason: string): void {
    const { events, log } = this.#parts;
    log.warn("configuration-reverted", { who, from, reason });
    events.note({
      event: "configuration-reverted",
      who,
      from,
      subject: "configuration",
      detail: { reason, diff },
    });
  }
}

/** A difference for the event log. Its last line names what a longer one left out: lines of a difference begin with a sign. */
function loggedDiff(diff: string, hashes: { readonly before: string; readonly after: string }): string {
  if (diff.length <= DIFF_LENGTH_MAX) return diff;
  const kept = diff.slice(0, DIFF_LENGTH_MAX);
  const { before, after } = hashes;
  return `${kept}\n… ${diff.length - DIFF_LENGTH_MAX} more characters; SHA-256 of the file before ${before}, after ${after}`;
}
