import type { Config } from "../config/config.ts";
import { Daemon } from "../daemon.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the daemon until the process is asked to end. */
export async function serve(config: Config, terminal: Terminal): Promise<void> {
  const { stdout, stderr, env } = terminal;
  const daemon = new Daemon(config, {
    write: (line) => void stdout.write(line),
    tell: (account) => void stderr.write(firstAdministratorText(account)),
    // systemd says so when standard output is its journal.
    forJournald: env["JOURNAL_STREAM"] !== undefined && env["INVOCATION_ID"] !== undefined,
    failpoint: env["SANTINELA_FAILPOINT"],
    kill: terminal.kill,
  });
  // Listened for before the start, so that an end asked for meanwhile is an orderly one too.
  const asked = terminal.untilAsked();
  await daemon.start();
  await asked;
  await daemon.stop();
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
