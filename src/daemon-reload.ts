import type { Config } from "./config/config.ts";
import { configurationText, readConfiguration, type LoadOptions } from "./config/load.ts";
import { hasLostOptions } from "./config/last-good.ts";
import { emptyConfiguration, type ConfigurationText } from "./config/parsed-text.ts";
import { ConfigurationError } from "./config/problems.ts";
import { immediateSections, changesOf } from "./config/reload.ts";
import { canonical } from "./domain/zone-changes.ts";
import type { RunningConfig, ReloadHooks } from "./daemon-options.ts";
import type { DaemonParts } from "./daemon-threads.ts";
import { type CancelTimer, type Clock, pause, settledWithin } from "./domain/clock.ts";
import type { Conditions } from "./domain/condition.ts";
import { AppError, messageOf } from "./domain/errors.ts";
import type { Actor } from "./domain/event.ts";
import type { Failpoint } from "./ops/failpoint.ts";
import type { JsonLog } from "./ops/log.ts";
import type { SiteOutputs } from "./site/outputs.ts";
import type { ReloadView } from "./site/administration-view.ts";
import type { Inputs } from "./inputs/inputs.ts";
import type { ZoneService } from "./inputs/zone-service.ts";
import type { EventNotes } from "./service/event-notes.ts";
import { isStorageError } from "./store/database.ts";
import { onceRestarted } from "./threads/restarting.ts";

interface DaemonReloadOptions {
  readonly config: RunningConfig;
  readonly load: LoadOptions;
  readonly zoneService: ZoneService;
  readonly inputs: Inputs;
  readonly outputs: Pick<SiteOutputs, "exchange">;
  readonly events: EventNotes;
  readonly parts: DaemonParts;
  readonly clock: Clock;
  readonly log: JsonLog;
  readonly conditions: Conditions;
  readonly failpoint: Failpoint;
  /** Zones that alarm panels have created, without those that the file declares. */
  readonly createdZones: (declared: Config["zones"]) => Config["zones"];
  /** Retries rejected trips, as at a start: their objective may exist now. */
  readonly retryRejected: () => void;
  readonly hooks: ReloadHooks;
}

/** Two equal reads this far apart mean that no program is writing the file. */
const STABLE_MS = 100;
const READS_MAX = 10;
/** Signals within this interval cause one reload: each would read the same file. */
const SIGNAL_INTERVAL_MS = 1_000;
/** Longer than a reload takes, unless it waits for a thread that hangs: that one is ended by its own stop, which takes its time. */
const STOP_MS_MAX = 1_000;
const BY_SIGNAL: Actor = { who: "santinela", from: "SIGHUP" };

/**
 * Applies a changed configuration while the daemon runs. Reloads run one after the other; each reads the file after its
 * request. An invalid configuration changes nothing.
 */
export class DaemonReload {
  readonly #options: DaemonReloadOptions;
  /** Resolves after the last requested reload; never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  #isSignalled = false;
  #signalledAtMs = -Infinity;
  #cancelSignal: CancelTimer = () => {};
  #state: "starting" | "running" | "stopping" | "stopped" = "starting";

  constructor(options: DaemonReloadOptions) {
    this.#options = options;
  }

  /** Call when the daemon is running. @returns stops new reloads and waits for the current one; the next start reads the file again */
  start(): () => Promise<void> {
    this.#state = "running";
    return () => this.#stop();
  }

  /**
   * Reads the configuration and applies it.
   * @returns the changes, once they are in force
   * @throws AppError `configuration` with the errors, `unavailable` if it cannot be applied now; nothing changes then
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
    this.#last = done.catch(() => "the caller handles the error");
    return done;
  }

  /** Reloads on SIGHUP; the log and the conditions report the result. */
  bySignal(): void {
    if (this.#isSignalled || this.#state !== "running") return;
    this.#isSignalled = true;
    const { clock, log } = this.#options;
    const waitMs = this.#signalledAtMs + SIGNAL_INTERVAL_MS - clock.monotonicMs();
    this.#cancelSignal = clock.after(waitMs, () => {
      const begun = (): void => {
        this.#signalledAtMs = clock.monotonicMs();
        // A later signal may mean newer content of the file.
        this.#isSignalled = false;
      };
      this.reload(BY_SIGNAL, begun).catch((error: unknown) => {
        // A signal has no caller, and the end of the process would end the monitoring too.
        log.error("configuration-reload-failed", { reason: messageOf(error), ...defectOf(error) });
      });
    });
  }

  async #stop(): Promise<void> {
    this.#state = "stopping";
    this.#cancelSignal();
    await settledWithin(this.#options.clock, STOP_MS_MAX, this.#last);
    this.#state = "stopped";
  }

  async #reload(by: Actor): Promise<ReloadView> {
    const { config, conditions, log, hooks, events, parts, outputs } = this.#options;
    const { next, source } = await this.#read(by);
    const { zones, applied, needsRestart } = changesOf(config, next);
    const { settled } = await this.#exchange(next, by);
    const detail = { ...zones, applied, needsRestart };
    events.note({ event: "reload-applied", ...by, subject: "configuration", detail });
    log.info("reload-applied", { ...by, ...detail });
    for (const warning of next.warnings) log.warn("configuration-warning", { warning });
    log.useLevel(next.log.level);
    hooks.onApplied({ ...config }, source, needsRestart);
    conditions.clear("configuration-invalid");
    if (needsRestart.length === 0) conditions.clear("restart-needed");
    else conditions.raise("restart-needed", { options: needsRestart.join(", ") });
    await settled;
    this.#assertNotStopped();
    await outputs.exchange(next.outputs);
    const hasOtherCentre = applied.some((option) => option.split(".")[0] === "upstream");
    // Those of now: an alarm panel may have created zones since the file was read.
    const { zones: inForce } = config;
    await parts.reloaded({ ...next, zones: inForce }, { hasOtherCentre, siteRef: config.site.ref });
    this.#assertNotStopped();
    this.#finish();
    return { zones, applied, needsRestart, warnings: next.warnings };
  }

  /** Called when the configuration is in force and every reachable input has been read once. */
  #finish(): void {
    this.#options.zoneService.checkOpenContacts();
    this.#options.retryRejected();
  }

  /** @throws AppError `configuration` with the errors and raises the condition; the daemon keeps its configuration */
  async #read(by: Actor): Promise<{ readonly next: Config; readonly source: ConfigurationText }> {
    const { load, conditions, events } = this.#options;
    try {
      const source = await this.#stableText();
      if (hasLostOptions(source, load)) throw emptyConfiguration(source);
      const next = readConfiguration(source, load);
      const zones = [...next.zones, ...this.#options.createdZones(next.zones)];
      return { next: { ...next, zones }, source };
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "unavailable") throw error;
      const errors = error.message.split("\n");
      conditions.raise(
        "configuration-invalid",
        `${errors.join("; ")}; the daemon keeps its previous configuration`,
      );
      events.note({
        event: "reload-rejected",
        ...by,
        subject: "configuration",
        detail: { mistakes: errors },
      });
      throw new AppError("configuration", error.message, { hint: error.hint, cause: error });
    }
  }

  /** Waits until the file no longer changes: a partly written file can be valid and lack half of the zones. */
  async #stableText(): Promise<ConfigurationText> {
    const { load, clock } = this.#options;
    let before = configurationText(load);
    for (let reads = 0; reads < READS_MAX; reads += 1) {
      await pause(clock, STABLE_MS);
      this.#assertRunning();
      const now = configurationText(load);
      if (now.text === before.text && now.file === before.file) return now;
      before = now;
    }
    const place = `${before.file ?? "the configuration"}:1:1`;
    throw new ConfigurationError([
      { place, message: "this file is being written. Reload again when it is complete" },
    ]);
  }

  /**
   * Replaces the configuration atomically: earlier readings are handled by the old one, later ones by the new one.
   * @returns `settled` resolves when new lines are open, retained messages are read and unused subscriptions are removed
   * @throws AppError `unavailable` if the journal cannot store it; nothing changes then
   */
  async #exchange(next: Config, by: Actor): Promise<{ readonly settled: Promise<void> }> {
    const { config, zoneService, inputs, parts, createdZones, failpoint, clock } = this.#options;
    const isSame = canonical(config.zones) === canonical(next.zones);
    const filters = isSame ? undefined : await inputs.prepare(next.zones);
    this.#assertRunning();
    let settled: Promise<void> = Promise.resolve();
    let { zones } = next;
    try {
      // Objectives first: a zone may trip immediately after the exchange.
      // A signal has no caller who could repeat it.
      await onceRestarted(() => parts.records.objectives.seed(next.objectives, next.zones), {
        clock,
        assertRunning: () => this.#assertRunning(),
      });
      this.#assertRunning();
      failpoint("reload-prepared");
      // An alarm panel may have created zones since the file was read.
      zones = [...next.zones, ...createdZones(next.zones)];
      if (filters) zoneService.exchange(zones, by);
    } catch (cause) {
      if (filters) void inputs.abandon(filters);
      if (!isStorageError(cause)) throw cause;
      throw new AppError("unavailable", `the new configuration was not applied: ${messageOf(cause)}`, {
        cause,
      });
    }
    failpoint("reload-committed");
    if (filters) settled = inputs.exchange(zones, filters);
    Object.assign(config, immediateSections(config, { ...next, zones }));
    return { settled };
  }

  /** What it would use next may be closed. @throws AppError `unavailable` */
  #assertNotStopped(): void {
    if (this.#state === "stopped") this.#assertRunning();
  }

  #assertRunning(): void {
    if (this.#state !== "running")
      throw new AppError("unavailable", `the daemon is ${this.#state}`, { retryAfterS: 5 });
  }
}

/** The stack of a defect. */
function defectOf(error: unknown): { readonly error?: unknown } {
  return error instanceof AppError ? {} : { error };
}
