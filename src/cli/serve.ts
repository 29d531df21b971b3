import type { Config } from "../config/config.ts";
import { effectiveOptions } from "../config/effective.ts";
import { keepLastGood, lastGoodAtMs, type RunnableConfiguration } from "../config/last-good.ts";
import type { ConfigurationText } from "../config/load.ts";
import { Daemon } from "../daemon.ts";
import { messageOf } from "../domain/errors.ts";
import { Supervision } from "../ops/supervision.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the daemon until the process is asked to end. */
export async function serve(
  { config, source, fault }: RunnableConfiguration,
  terminal: Terminal,
): Promise<void> {
  const { stdout, stderr, env } = terminal;
  // systemd says so when standard output is its journal.
  const forJournald = env["JOURNAL_STREAM"] !== undefined && env["INVOCATION_ID"] !== undefined;
  const supervision = Supervision.of(env, process.pid);
  const daemon = new Daemon(config, {
    write: (line) => void stdout.write(line),
    // A journal is read by many and kept for years: there a password of one's own is the only one.
    tell: (account) =>
      void stderr.write(forJournald ? journalText(account) : firstAdministratorText(account)),
    effectiveOptions: () => effectiveOptions(source, { env, cwd: terminal.cwd }),
    forJournald,
    failpoint: env["SANTINELA_FAILPOINT"],
    kill: terminal.kill,
    onStarted: () => {
      if (fault === null) keepCopy(config, source, terminal);
    },
    configurationFault: fault === null ? undefined : faultText(fault, config.dataDir),
  });
  // Listened for before the start, so that an end asked for meanwhile is an orderly one too.
  const asked = terminal.untilAsked();
  await daemon.start();
  supervision.ready();
  const cancelWatch = supervision.watch(new SystemClock(), () => daemon.isStalled());
  await asked;
  supervision.stopping();
  cancelWatch();
  await daemon.stop();
}

function journalText({ email }: { email: string }): string {
  return `The first administrator is ${email}. Set the password: santinela user passwd --email ${email}\n`;
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
  const keptAt = new Date(lastGoodAtMs(dataDir) ?? 0).toISOString();
  return `${fault.replaceAll("\n", "; ")}; the copy of ${keptAt} runs`;
}

function firstAdministratorText({ email, password }: { email: string; password: string }): string {
  return [
    "",
    "  The first administrator of this installation:",
    `    e-mail    ${email}`,
    `    password  ${password}`,
    "  This is shown once and stored nowhere in readable form.",
    "",
    "",
  ].join("\n");
}
