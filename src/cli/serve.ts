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

/** What is done between two runs, while no file is open. */
type BetweenRuns = () => void;

/**
 * Runs the daemon until the process is asked to end. A person at the panel may have it run again in the same process:
 * with the configuration as it is then, or with another database.
 * @throws AppError as `configurationToRun`, and as `Daemon.start`
 */
export async function serve(file: string | undefined, terminal: Terminal): Promise<void> {
  const load = { file, env: terminal.env, cwd: terminal.cwd };
  const supervision = SystemdNotifier.of(terminal.env, process.pid);
  // Listened for before the start, so that an end asked for meanwhile is an orderly one too.
  const asked = terminal.untilSignal();
  let running: Run | undefined;
  let isReloadAsked = false;
  // Between two runs and before the first there is nothing to be reloaded yet; the file may be read already, though.
  terminal.onReloadAsked?.(() => {
    if (running) running.reload();
    else isReloadAsked = true;
  });
  let runnable = configurationToRun(load);
  const onTaken = (taken: EffectiveConfiguration): void => void (runnable = taken);
  const common = { load, asked, supervision, terminal, onTaken };
  const untilEnd = async (run: Run): Promise<BetweenRuns | undefined> => {
    running = run;
    if (isReloadAsked) run.reload();
    isReloadAsked = false;
    return run.end(() => (running = undefined));
  };
  let run = await begin(runnable, { ...common, restoreFault: undefined });
  for (let meanwhile = await untilEnd(run); meanwhile; meanwhile = await untilEnd(run)) {
    const place = { ...common, restoreFault: faultOf(meanwhile) };
    const before = runnable;
    runnable = readAgain(load, before);
    try {
      run = await begin(runnable, place);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // A file without a mistake may name a port that is taken: the alarms go on with what has run until now.
      runnable = { ...before, fault: error.message };
      run = await begin(runnable, place);
    }
  }
}

interface RunEnvironment {
  readonly load: LoadOptions;
  readonly restoreFault: string | undefined;
  readonly asked: Promise<void>;
  readonly supervision: SystemdNotifier;
  readonly terminal: Terminal;
  /** Called with what is in force after a reload. */
  readonly onTaken: (runnable: EffectiveConfiguration) => void;
}

interface Run {
  /** Has it load its configuration again. */
  readonly reload: () => void;
  /**
   * Comes back when it has ended.
   * @param onEnding called when it begins to end
   * @returns what is to be done before the next run; undefined when there is none
   */
  readonly end: (onEnding: () => void) => Promise<BetweenRuns | undefined>;
}

/** @throws AppError as `Daemon.start` */
async function begin(
  { config, source, fault }: EffectiveConfiguration,
  { load, restoreFault, asked, supervision, terminal, onTaken }: RunEnvironment,
): Promise<Run> {
  const { stdout, stderr, env } = terminal;
  // systemd says so when standard output is its journal.
  const forJournald = env["JOURNAL_STREAM"] !== undefined && env["INVOCATION_ID"] !== undefined;
  let restart: (meanwhile: BetweenRuns) => void = () => {};
  const again = new Promise<BetweenRuns>((resolve) => {
    restart = resolve;
  });
  const clock = new SystemClock();
  const texts = new TextsInForce(source, { env, cwd: terminal.cwd });
  const daemon = new Daemon(config, {
    write: (line) => void stdout.write(line),
    announceInitialPassword: (account) =>
      void stderr.write(forJournald ? journalText(account) : firstAdministratorText(account)),
    effectiveOptions: () => texts.options(),
    reload: {
      onReloading: () => supervision.reloading(clock),
      onReloaded: () => supervision.ready(),
      onTaken: (taken, text, needsRestart) => {
        texts.taken(text, needsRestart);
        // With an option that no daemon has run with yet the text is not known to be good.
        const isProven = needsRestart.length === 0;
        if (isProven) keepCopy(taken, text, terminal);
        onTaken({ config: taken, source: isProven ? text : source, fault: null });
      },
    },
    load,
    forJournald,
    httpDescriptor: inheritedDescriptor(env, process.pid, "http"),
    // systemd names it where the unit has a RuntimeDirectory=.
    runtimeDirectory: env["RUNTIME_DIRECTORY"]?.split(":")[0],
    failpoint: env["SANTINELA_FAILPOINT"],
    kill: terminal.kill,
    onStarted: () => {
      if (fault === null) keepCopy(config, source, terminal);
    },
    configurationFault: fault === null ? undefined : faultText(fault, config.dataDir),
    restoreFault,
    restart,
  });
  await daemon.start();
  supervision.ready();
  const cancelWatch = supervision.watch(clock, () => daemon.isStalled());
  const end = async (onEnding: () => void): Promise<BetweenRuns | undefined> => {
    const next = await Promise.race([asked.then(() => undefined), again]);
    onEnding();
    cancelWatch();
    if (next) supervision.extendWatchdog();
    else supervision.stopping();
    await daemon.stop();
    return next;
  };
  return { end, reload: () => daemon.reloadBySignal() };
}

/** @returns why it could not be done; undefined when it was */
function faultOf(meanwhile: BetweenRuns): string | undefined {
  try {
    meanwhile();
    return undefined;
  } catch (error) {
    // The alarms must go on with the database that is there.
    return messageOf(error);
  }
}

/** A daemon that has run goes on with what it ran with, whatever has been written into the file meanwhile. */
function readAgain(load: LoadOptions, before: EffectiveConfiguration): EffectiveConfiguration {
  try {
    return configurationToRun(load);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...before, fault: error.message };
  }
}

/**
 * A journal is read by many and kept for years, so what stands there is good once, and only while nobody has set the
 * installation up.
 */
function journalText({ email, password }: { email: string; password: string }): string {
  return [
    `The first administrator is ${email}.`,
    `Set it up in the panel with the one-time code ${password}`,
    `or set its password: santinela user passwd --email ${email}\n`,
  ].join("\n");
}

/** A disk that is full costs the copy of today's configuration; the one before it stays. */
function keepCopy(config: Config, source: ConfigurationText, { stderr }: Terminal): void {
  try {
    keepLastGood(config, source);
  } catch (error) {
    stderr.write(`the last good copy of the configuration is not kept: ${messageOf(error)}\n`);
  }
}

function faultText(fault: string, dataDir: string): string {
  const keptAtMs = lastGoodAtMs(dataDir);
  const what = keptAtMs === undefined ? "what ran before" : `the copy of ${new Date(keptAtMs).toISOString()}`;
  return `${fault.replaceAll("\n", "; ")}; ${what} runs`;
}

function firstAdministratorText({ email, password }: { email: string; password: string }): string {
  return [
    "",
    "  The first administrator of this installation:",
    `    e-mail    ${email}`,
    `    password  ${password}`,
    "  This is shown once and stored nowhere in readable form. The panel takes the password as the",
    "  one-time code of its set-up.",
    "",
    "",
  ].join("\n");
}
