import type { Config } from "./config/config.ts";
import { configurationText, readConfiguration, type LoadOptions } from "./config/load.ts";
import type { ConfigurationText } from "./config/parsed-text.ts";
import { ConfigurationError } from "./config/problems.ts";
import { atOnceOf, changesOf } from "./config/reload.ts";
import { canonical } from "./domain/canonical.ts";
import type { ReloadHooks } from "./daemon-options.ts";
import type { CancelTimer, Clock } from "./domain/clock.ts";
import type { Conditions } from "./domain/condition.ts";
import { AppError, messageOf } from "./domain/errors.ts";
import type { Actor } from "./domain/event.ts";
import type { Failpoint } from "./ops/failpoint.ts";
import type { JsonLog } from "./ops/log.ts";
import type { ReloadView } from "./http/site/reload-view.ts";
import type { Inputs } from "./inputs/inputs.ts";
import type { ZoneService } from "./inputs/zone-service.ts";
import type { EventService } from "./service/events.ts";
import { seedObjectives } from "./service/first-run.ts";
import type { ObjectiveService } from "./service/objectives.ts";
import { isStorageError } from "./store/database.ts";
import type { CurrentSync } from "./sync/current-sync.ts";

/** A configuration whose sections a reload exchanges; a part that wants the newest one reads it here each time. */
export type ConfigInForce = { -readonly [Section in keyof Config]: Config[Section] };

export interface DaemonReloadOptions {
  readonly config: ConfigInForce;
  readonly load: LoadOptions;
  readonly watch: ZoneService;
  readonly inputs: Inputs;
  readonly objectives: ObjectiveService;
  readonly events: EventService;
  readonly sync: CurrentSync;
  readonly clock: Clock;
  readonly log: JsonLog;
  readonly conditions: Conditions;
  readonly failpoint: Failpoint;
  /** Has trips that were refused tried again, as at a start: their objective may be there now. */
  readonly retryRefused: () => void;
  readonly hooks: ReloadHooks;
}

/** Two equal readings this far apart: no program is writing the file at this moment. */
const SETTLED_MS = 100;
const LOOKS_MAX = 10;
/** Signals within so long are one: each of a thousand would be answered with the same file. */
const SIGNAL_EVERY_MS = 1_000;
const BY_SIGNAL: Actor = { who: "santinela", from: "SIGHUP" };

/**
 * Takes a new configuration while the daemon runs. One reload comes after the other; each reads the file after it was
 * asked for. A configuration with mistakes changes nothing.
 */
export class DaemonReload {
  readonly #options: DaemonReloadOptions;
  /** Resolves after every reload that was asked for. */
  #last: Promise<unknown> = Promise.resolve();
  #isSignalled = false;
  #signalledAtMs = -Infinity;
  #cancelSignal: CancelTimer = () => {};
  #state: "starting" | "running" | "stopping" = "starting";

  constructor(options: DaemonReloadOptions) {
    this.#options = options;
  }

  /** To be called when everything runs. @returns waits for the reload under way; none begins after it */
  start(): () => Promise<void> {
    this.#state = "running";
    return () => this.#stop();
  }

  /**
   * Reads the configuration and goes on with it.
   * @returns what has changed, once it is in force
   * @throws AppError `configuration` with its mistakes, `unavailable` when it cannot be taken now; nothing has changed then
   */
  reload(by: Actor, onBegun: () => void = () => {}): Promise<ReloadView> {
    const { onReloading, onReloaded } = this.#options.hooks;
    const done = this.#last.then(async () => {
      this.#assertRunning();
      onBegun();
      onReloading();
      try {
        return await this.#reload(by);
      } finally {
        onReloaded();
      }
    });
    this.#last = done.catch(() => "its caller has the error");
    return done;
  }

  /** Reloads because the process was sent the signal for it; what becomes of it stands in the log and the conditions. */
  bySignal(): void {
    if (this.#isSignalled || this.#state !== "running") return;
    this.#isSignalled = true;
    const { clock, log } = this.#options;
    const waitMs = this.#signalledAtMs + SIGNAL_EVERY_MS - clock.monotonicMs();
    this.#cancelSignal = clock.after(waitMs, () => {
      const begun = (): void => {
        this.#signalledAtMs = clock.monotonicMs();
        // A signal from here on may be about a later content of the file.
        this.#isSignalled = false;
      };
      this.reload(BY_SIGNAL, begun).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        log.error("configuration-not-reloaded", { reason: error.message });
      });
    });
  }

  async #stop(): Promise<void> {
    this.#state = "stopping";
    this.#cancelSignal();
    await this.#last;
  }

  async #reload(by: Actor): Promise<ReloadView> {
    const { config, conditions, log, hooks, events, sync } = this.#options;
    const { next, source } = await this.#read(by);
    const { zones, applied, needsRestart } = changesOf(config, next);
    const { settled } = await this.#exchange(next, by);
    const detail = { ...zones, applied, needsRestart };
    events.note({ event: "reload-applied", ...by, subject: "configuration", detail });
    log.info("reload-applied", { ...by, ...detail });
    for (const warning of next.warnings) log.warn("configuration-warning", { warning });
    log.useLevel(next.log.level);
    hooks.onTaken({ ...config }, source, needsRestart);
    conditions.clear("configuration-invalid");
    if (needsRestart.length === 0) conditions.clear("restart-needed");
    else conditions.raise("restart-needed", { options: needsRestart.join(", ") });
    await settled;
    if (applied.some((option) => option.split(".")[0] === "upstream")) await sync.exchange(next.upstream);
    this.#ended();
    return { zones, applied, needsRestart, warnings: next.warnings };
  }

  /** The new configuration is in force and everything that it reads has been read once, as far as it answers. */
  #ended(): void {
    this.#options.watch.checkOpenContacts();
    this.#options.retryRefused();
  }

  /** @throws AppError `configuration` with the mistakes, which are a condition then; the running configuration goes on */
  async #read(by: Actor): Promise<{ readonly next: Config; readonly source: ConfigurationText }> {
    const { load, conditions, events } = this.#options;
    try {
      const source = await this.#settledText();
      return { next: readConfiguration(source, load), source };
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "unavailable") throw error;
      const mistakes = error.message.split("\n");
      conditions.raise("configuration-invalid", `${mistakes.join("; ")}; what ran before runs`);
      events.note({ event: "reload-rejected", ...by, subject: "configuration", detail: { mistakes } });
      throw new AppError("configuration", error.message, { hint: error.hint, cause: error });
    }
  }

  /** A file that is cut short in the middle of being written can be valid, and lack half of the zones. */
  async #settledText(): Promise<ConfigurationText> {
    const { load, clock } = this.#options;
    let before = configurationText(load);
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      await new Promise<void>((resolve) => {
        clock.after(SETTLED_MS, resolve);
      });
      this.#assertRunning();
      const now = configurationText(load);
      if (now.text === before.text && now.file === before.file) return notEmpty(now);
      before = now;
    }
    const place = `${before.file ?? "the configuration"}:1:1`;
    throw new ConfigurationError([
      { place, message: "this file is being written. Reload again when it is complete" },
    ]);
  }

  /**
   * Puts the new configuration in the place of the old one. Between the two there is no moment: what has been read until
   * then is decided by the old one, everything else by the new one.
   * @returns `settled`: when new lines are open, what brokers keep for new zones is read, and what is gone is left
   * @throws AppError `unavailable` when the journal cannot store it; nothing has changed then
   */
  async #exchange(next: Config, by: Actor): Promise<{ readonly settled: Promise<void> }> {
    const { config, watch, inputs, objectives, failpoint } = this.#options;
    const isSame = canonical(config.zones) === canonical(next.zones);
    const filters = isSame ? undefined : await inputs.prepare(next.zones);
    this.#assertRunning();
    let settled: Promise<void> = Promise.resolve();
    try {
      // A trip of the first moment must find its objective.
      seedObjectives(objectives, next.objectives, next.zones, config.site.locale);
      failpoint("reload-prepared");
      if (filters) watch.exchange(next.zones, by);
    } catch (cause) {
      if (filters) void inputs.abandon(filters);
      if (!isStorageError(cause)) throw cause;
      throw new AppError("unavailable", `the new configuration was not taken: ${messageOf(cause)}`, {
        cause,
      });
    }
    failpoint("reload-committed");
    if (filters) settled = inputs.exchange(next.zones, filters);
    Object.assign(config, atOnceOf(next));
    return { settled };
  }

  #assertRunning(): void {
    if (this.#state !== "running")
      throw new AppError("unavailable", `the daemon is ${this.#state}`, { retryAfterS: 5 });
  }
}

/** A program that writes a file empties it first; a daemon that runs is not to lose every zone by that. */
function notEmpty(source: ConfigurationText): ConfigurationText {
  if (source.file === null || source.text.trim() !== "") return source;
  const message = "this file is empty. To remove every zone write zones: []";
  throw new ConfigurationError([{ place: `${source.file}:1:1`, message }]);
}
