import type { Config } from "../config/config.ts";
import { TextsInForce } from "../config/effective.ts";
import {
  configurationToRun,
  keepLastGood,
  lastGoodAtMs,
  type EffectiveConfiguration,
} from "../config/last-good.ts";
import type { LoadOptions } from "../config/load.ts";
import type { ConfigurationText } from "../config/parsed-text.ts";
import { Daemon } from "../daemon.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { inheritedDescriptor, SystemdNotifier } from "../ops/systemd-notify.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/** Work between two runs, while no file is open. */
type BetweenRuns = () => void;

/**
 * Runs the daemon until the process is stopped. The web panel can request a new run in the same process, with the changed
 * configuration or a restored database.
 * @throws AppError as `configurationToRun`, and as `Daemon.start`
 */
export async function serve(load: LoadOptions, terminal: Terminal): Promise<void> {
  const notifier = SystemdNotifier.of(terminal.env, process.pid);
  // Installed before the start, so that a signal during the start also causes a clean shutdown.
  const stopped = terminal.untilSignal();
  let running: Run | undefined;
  let isReloadRequested = false;
  // Before and between runs, the request is kept: the file may already have been read.
  terminal.onReloadRequested?.(() => {
    if (running) running.reload();
    else isReloadRequested = true;
  });
  let runnable = configurationToRun(load);
  const onApplied = (applied: EffectiveConfiguration): void => void (runnable = applied);
  const common = { load, stopped, notifier, terminal, onApplied };
  const untilEnd = async (run: Run): Promise<BetweenRuns | undefined> => {
    running = run;
    if (isReloadRequested) run.reload();
    isReloadRequested = false;
    return run.end(() => (running = undefined));
  };
  let run = await begin(runnable, { ...common, restoreFault: undefined });
  for (let betweenRuns = await untilEnd(run); betweenRuns; betweenRuns = await untilEnd(run)) {
    const environment = { ...common, restoreFault: faultOf(betweenRuns) };
    const before = runnable;
    runnable = readAgain(load, before);
    try {
      run = await begin(runnable, environment);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // A valid file may name a port in use: continue with the previous configuration.
      runnable = { ...before, fault: error.message };
      run = await begin(runnable, environment);
    }
  }
}

interface RunEnvironment {
  readonly load: LoadOptions;
  readonly restoreFault: string | undefined;
  readonly stopped: Promise<void>;
  readonly notifier: SystemdNotifier;
  readonly terminal: Terminal;
  /** Called with the configuration in force after a reload. */
  readonly onApplied: (runnable: EffectiveConfiguration) => void;
}

interface Run {
  /** Reloads the configuration. */
  readonly reload: () => void;
  /**
   * Waits for the end of the run.
   * @param onEnding called when the shutdown begins
   * @returns the work before the next run; undefined if there is none
   */
  readonly end: (onEnding: () => void) => Promise<BetweenRuns | undefined>;
}

/** @throws AppError as `Daemon.start` */
async function begin(
  { config, source, fault }: EffectiveConfiguration,
  { load, restoreFault, stopped, notifier, terminal, onApplied }: RunEnvironment,
): Promise<Run> {
  const { stdout, stderr, env } = terminal;
  // systemd sets JOURNAL_STREAM when standard output is connected to journald.
  const forJournald = env["JOURNAL_STREAM"] !== undefined && env["INVOCATION_ID"] !== undefined;
  let restart: (betweenRuns: BetweenRuns) => void = () => {};
  const again = new Promise<BetweenRuns>((resolve) => {
    restart = resolve;
  });
  const clock = new SystemClock();
  const texts = new TextsInForce(source, { env, cwd: terminal.cwd });
  const daemon = new Daemon(config, {
    write: (line) => void stdout.write(line),
    announceInitialPassword: (account) =>
      void stderr.write(forJournald ? journaldText(account) : initialAdministratorText(account)),
    effectiveOptions: () => texts.options(),
    reload: {
      onReloading: () => notifier.reloading(clock),
      onReloaded: () => notifier.ready(),
      onApplied: (applied, text, needsRestart) => {
        texts.applied(text, needsRestart);
        // A text with options that still need a restart has not been proven to start.
        const isProven = needsRestart.length === 0;
        if (isProven) saveLastGood(applied, text, terminal);
        onApplied({ config: applied, source: isProven ? text : source, fault: null });
      },
    },
    load,
    forJournald,
    httpDescriptor: inheritedDescriptor(env, process.pid, "http"),
    // Set by systemd for a unit with RuntimeDirectory=.
    runtimeDirectory: env["RUNTIME_DIRECTORY"]?.split(":")[0],
    failpoint: env["SANTINELA_FAILPOINT"],
    kill: terminal.kill,
    onStarted: () => {
      if (fault === null) saveLastGood(config, source, terminal);
    },
    configurationFault: fault === null ? undefined : faultText(fault, config.dataDir),
    restoreFault,
    restart,
  });
  await daemon.start();
  notifier.ready();
  const cancelWatch = notifier.watch(clock, () => daemon.isStalled());
  const end = async (onEnding: () => void): Promise<BetweenRuns | undefined> => {
    const next = await Promise.race([stopped.then(() => undefined), again]);
    onEnding();
    cancelWatch();
    if (next) notifier.extendWatchdog();
    else notifier.stopping();
    await daemon.stop();
    return next;
  };
  return { end, reload: () => daemon.reloadBySignal() };
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

/**
 * The code is safe in journald, which keeps it for a long time: it works once, and only until the installation is set up.
 */
function journaldText({ email, password }: { email: string; password: string }): string {
  return [
    `The initial administrator is ${email}.`,
    `Set up the account in the web panel with the one-time code ${password}`,
    `or set its password: santinela user passwd --email ${email}\n`,
  ].join("\n");
}

/** Saves the last good configuration; on a full disk the previous one is kept. */
function saveLastGood(config: Config, source: ConfigurationText, { stderr }: Terminal): void {
  try {
    keepLastGood(config, source);
  } catch (error) {
    stderr.write(`the last good configuration could not be saved: ${messageOf(error)}\n`);
  }
}

function faultText(fault: string, dataDir: string): string {
  const keptAtMs = lastGoodAtMs(dataDir);
  const what =
    keptAtMs === undefined
      ? "the previous configuration"
      : `the last good configuration of ${new Date(keptAtMs).toISOString()}`;
  return `${fault.replaceAll("\n", "; ")}; the daemon uses ${what}`;
}

function initialAdministratorText({ email, password }: { email: string; password: string }): string {
  return [
    "",
    "  Initial administrator of this installation:",
    `    e-mail    ${email}`,
    `    password  ${password}`,
    "  The password is shown once and is not stored in readable form. It is also the one-time code for the set-up in",
    "  the web panel.",
    "",
    "",
  ].join("\n");
}
