import type { Config } from "../config/config.ts";
import { Daemon } from "../daemon.ts";
import { Supervision } from "../ops/supervision.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the daemon until the process is asked to end. */
export async function serve(config: Config, terminal: Terminal): Promise<void> {
  const { stdout, stderr, env } = terminal;
  // systemd says so when standard output is its journal.
  const forJournald = env["JOURNAL_STREAM"] !== undefined && env["INVOCATION_ID"] !== undefined;
  const supervision = Supervision.of(env, process.pid);
  const daemon = new Daemon(config, {
    write: (line) => void stdout.write(line),
    // A journal is read by many and kept for years: there a password of one's own is the only one.
    tell: (account) =>
      void stderr.write(forJournald ? journalText(account) : firstAdministratorText(account)),
    forJournald,
    failpoint: env["SANTINELA_FAILPOINT"],
    kill: terminal.kill,
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
