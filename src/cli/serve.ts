import { RunningOptionSources } from "../config/effective.ts";
import { dataDirectories } from "../config/data-directories.ts";
import { configurationToRun, zonesEdited, type EffectiveConfiguration } from "../config/last-good.ts";
import { findFile, type LoadOptions } from "../config/load.ts";
import { Daemon } from "../daemon.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { revertUnproven } from "../ops/configuration-trial.ts";
import type { DamageRestarts } from "../ops/damage-restart.ts";
import { powerOffMachine } from "../ops/on-battery.ts";
import { inheritedDescriptors, SystemdNotifier } from "../ops/systemd-notify.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { JsonOption } from "./command-group.ts";
import { LastGoodKeeper } from "./last-good-keeper.ts";
import { type BetweenRuns, RunEnd } from "./run-end.ts";
import { logText } from "./log-text.ts";
import { faultText, initialPasswordText, readyText, statusText } from "./serve-texts.ts";
import type { Terminal } from "./terminal.ts";

/** systemd ends services within seconds; a machine that stays on after this time must be monitored again. */
const POWER_OFF_MS_MAX = 30_000;

/**
 * Runs the daemon until the process is stopped. The web panel can request a new run in the same process, with the changed
 * configuration or a restored database.
 * @param options json: the log is JSON even at a terminal
 * @throws AppError `configuration` with the errors of a file that cannot be used, and as `Daemon.start`
 */
export async function serve(load: LoadOptions, terminal: Terminal, options: JsonOption = {}): Promise<void> {
  // A dispatch centre on SQLite is served too.
  await new DaemonRuns({ role: "site", ...load }, terminal, options).untilStopped();
}

/** The runs of the daemon in this process, one after the other. */
class DaemonRuns {
  readonly #load: LoadOptions;
  readonly #terminal: Terminal;
  readonly #options: JsonOption;
  readonly #notifier: SystemdNotifier;
  readonly #stopped: Promise<void>;
  readonly #lastGood: LastGoodKeeper;
  /** Of the listening socket: each start of the server uses one, because closing a server closes its descriptor. */
  readonly #descriptors: number[] | undefined;
  #effective: EffectiveConfiguration;
  #running: Daemon | undefined;
  /** In a service the first run monitors also without its port; a later one that gets none gives way to the former configuration. */
  #waitsForPort: boolean;
  #isReloadRequested = false;
  /** Whether the process was asked to end. */
  #isEnding = false;
  #isPoweringOff = false;
  readonly #damageRestarts: DamageRestarts = { atMs: [] };

  constructor(load: LoadOptions, terminal: Terminal, options: JsonOption) {
    this.#load = load;
    this.#terminal = terminal;
    this.#options = options;
    this.#lastGood = new LastGoodKeeper(terminal, new SystemClock());
    this.#notifier = SystemdNotifier.of(terminal.env, process.pid);
    this.#waitsForPort = terminal.env["NOTIFY_SOCKET"] !== undefined;
    const descriptors = inheritedDescriptors(terminal.env, process.pid, "http");
    this.#descriptors = descriptors.length > 0 ? descriptors : undefined;
    // Installed before the start, so that a signal during the start also causes a clean shutdown.
    this.#stopped = terminal.untilSignal().then(() => void (this.#isEnding = true));
    // Before and between runs, the request is kept: the file may already have been read.
    terminal.onReloadRequested?.(() => {
      if (this.#running) this.#running.reloadBySignal();
      else this.#isReloadRequested = true;
    });
    revertUnprovenChange(load);
    this.#effective = effectiveAtStart(load);
  }

  async untilStopped(): Promise<void> {
    let end = await this.#start();
    for (let betweenRuns = await end(); betweenRuns; betweenRuns = await end()) {
      const restoreFault = faultOf(betweenRuns);
      const powerOffFault = await this.#poweredOff();
      if (this.#isEnding) return;
      const before = this.#effective;
      revertUnprovenChange(this.#load);
      this.#effective = readAgain(this.#load, before);
      try {
        end = await this.#start(restoreFault, powerOffFault);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // A valid file may name a port in use: continue with the previous configuration.
        this.#effective = { ...before, fault: error.message };
        end = await this.#start(restoreFault, powerOffFault);
      }
    }
  }

  /**
   * Powers the machine off if the run has ended for that, and waits for the end of the process.
   * @returns why it still runs; undefined without an order
   */
  async #poweredOff(): Promise<string | undefined> {
    if (!this.#isPoweringOff) return undefined;
    this.#isPoweringOff = false;
    const fault = await powerOffMachine();
    if (fault !== undefined) return fault;
    let cancel = (): void => {};
    const waited = new Promise<void>((resolve) => {
      cancel = new SystemClock().after(POWER_OFF_MS_MAX, resolve);
    });
    await Promise.race([this.#stopped, waited]);
    cancel();
    return "systemd has accepted the power-off request, but has not stopped the service";
  }

  /** @throws Error if the socket of systemd has no descriptor left: only a restart of the service has new ones */
  #nextDescriptor(): number | undefined {
    if (this.#descriptors === undefined) return undefined;
    const [descriptor] = this.#descriptors.splice(0, 1);
    if (descriptor === undefined) throw new Error("the socket of systemd has no descriptor left");
    return descriptor;
  }

  /**
   * Starts the daemon.
   * @returns waits for the end of the run; returns the work before the next one, undefined if there is none
   * @throws AppError as `Daemon.start`
   */
  async #start(
    restoreFault?: string,
    powerOffFault?: string,
  ): Promise<() => Promise<BetweenRuns | undefined>> {
    const { stdout, stderr, env, cwd, kill } = this.#terminal;
    const { config, source, fault } = this.#effective;
    // systemd sets JOURNAL_STREAM when standard output is connected to journald.
    const forJournald = env["JOURNAL_STREAM"] !== undefined && env["INVOCATION_ID"] !== undefined;
    // A program reads JSON; a person at a terminal reads a sentence, and the address at the end.
    const isForPerson = stdout.isTTY === true && !forJournald && this.#options.json !== true;
    const end = new RunEnd();
    const clock = new SystemClock();
    const texts = new RunningOptionSources(source, { env, cwd });
    let running = "";
    const daemon = new Daemon(config, {
      write: (line) => void stdout.write(isForPerson ? logText(line, config.site.timezone) : line),
      announceInitialPassword: async (account) =>
        void stderr.write(await initialPasswordText(account, config.http, forJournald)),
      effectiveOptions: () => texts.options(),
      reload: {
        onReloading: () => this.#notifier.reloading(clock),
        onReloaded: () => this.#notifier.ready(statusText(this.#effective.config)),
        onApplied: (applied, text, needsRestart) => {
          texts.applied(text, needsRestart);
          // A text with options that still need a restart has not been proven to start.
          const isProven = needsRestart.length === 0;
          if (isProven) this.#lastGood.applied(applied, text);
          else this.#lastGood.forget();
          this.#effective = { config: applied, source: isProven ? text : source, fault: null };
        },
        onProven: () => this.#lastGood.proven(),
      },
      load: this.#load,
      forJournald,
      nextDescriptor: () => this.#nextDescriptor(),
      waitsForPort: this.#waitsForPort,
      runtimeDirectory: env["RUNTIME_DIRECTORY"]?.split(":")[0],
      bootId: env["BOOT_ID"],
      failpoint: env["SANTINELA_FAILPOINT"],
      kill,
      onStarted: (address) => {
        running = readyText(config, address, this.#terminal);
        if (fault === null) this.#lastGood.save(config, source);
      },
      configurationFault: fault === null ? undefined : faultText(fault, config.dataDir),
      beforeLongWork: (bytes) => this.#notifier.extendStart(bytes),
      restoreFault,
      powerOffFault,
      powerOff: () => {
        this.#isPoweringOff = true;
        end.request(() => {});
      },
      zonesEdited: zonesEdited(config, source, this.#load),
      restart: end.request,
      damageRestarts: this.#damageRestarts,
    });
    await daemon.start();
    this.#waitsForPort = false;
    if (isForPerson) stderr.write(running);
    this.#notifier.ready(statusText(config));
    const cancelWatch = this.#notifier.watch(clock, () => daemon.isStalled());
    this.#running = daemon;
    if (this.#isReloadRequested) daemon.reloadBySignal();
    this.#isReloadRequested = false;
    return async () => {
      const next = await Promise.race([this.#stopped.then(() => undefined), end.requested()]);
      this.#running = undefined;
      cancelWatch();
      if (next) this.#notifier.extendWatchdog();
      else this.#notifier.stopping();
      const areFilesClosed = await daemon.stop();
      // Neither a restore nor another run may use databases that a thread still has open. Systemd starts the process again.
      if (next && !areFilesClosed && !this.#isPoweringOff) kill();
      return next;
    };
  }
}

/**
 * As `configurationToRun`. Without a last good configuration a file that cannot be read prevents the start as one with errors does.
 * @throws AppError `configuration`
 */
function effectiveAtStart(load: LoadOptions): EffectiveConfiguration {
  try {
    return configurationToRun(load);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "no-input") throw error;
    throw new AppError("configuration", error.message, { hint: error.hint, cause: error });
  }
}

/** A change from the web panel that had not been proven when the process ended is undone. */
function revertUnprovenChange(load: LoadOptions): void {
  const file = findFile(load);
  if (file !== null) revertUnproven(file, dataDirectories(file, load));
}

/** @returns the error message; undefined on success */
function faultOf(betweenRuns: BetweenRuns): string | undefined {
  try {
    betweenRuns();
    return undefined;
  } catch (error) {
    // Monitoring continues with the existing database.
    return messageOf(error);
  }
}

/** Reads the configuration again; keeps the previous one if the file is now invalid. */
function readAgain(load: LoadOptions, before: EffectiveConfiguration): EffectiveConfiguration {
  try {
    return configurationToRun(load);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...before, fault: error.message };
  }
}
