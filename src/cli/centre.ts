import { Centre } from "../centre.ts";
import type { Config, DatabaseConfig } from "../config/config.ts";
import { loadConfiguration, type LoadOptions } from "../config/load.ts";
import { inheritedDescriptors, SystemdNotifier } from "../ops/systemd-notify.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { serve } from "./serve.ts";
import { initialPasswordText, readyText, statusText } from "./serve-texts.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs a dispatch centre until the process is stopped: on SQLite as a daemon without inputs, with `database` on PostgreSQL
 * that any number of processes share.
 * @throws AppError as `loadConfiguration`, `serve` and `Centre.start`
 */
export async function centre(load: LoadOptions, terminal: Terminal): Promise<void> {
  const options = { ...load, role: "centre" } as const;
  const config = loadConfiguration(options);
  const { database } = config;
  if (database === null) await serve(options, terminal);
  else await onPostgres({ ...config, database }, terminal);
}

async function onPostgres(
  config: Config & { readonly database: DatabaseConfig },
  terminal: Terminal,
): Promise<void> {
  const { stdout, stderr, env } = terminal;
  const forJournald = env["JOURNAL_STREAM"] !== undefined && env["INVOCATION_ID"] !== undefined;
  const notifier = SystemdNotifier.of(env, process.pid);
  // Installed before the start, so that a signal during the start also causes a clean stop.
  const stopped = terminal.untilSignal();
  const clock = new SystemClock();
  const [httpDescriptor] = inheritedDescriptors(env, process.pid, "http");
  const running = new Centre({
    config,
    clock,
    forJournald,
    httpDescriptor,
    write: (line) => void stdout.write(line),
    announceInitialPassword: async (account) =>
      void stderr.write(await initialPasswordText(account, config.http, forJournald)),
  });
  terminal.onReloadRequested?.(() => running.rejectReload());
  const started = running.start();
  const address = await Promise.race([started, stopped]);
  if (address !== undefined) {
    if (stdout.isTTY === true && !forJournald) stderr.write(readyText(config, address, terminal));
    notifier.ready(statusText(config));
    const cancelWatch = notifier.watch(clock, () => false);
    await stopped;
    cancelWatch();
  }
  notifier.stopping();
  await running.stop();
  // A start that was interrupted ends with the error of its wait.
  await started.catch((error: unknown) => {
    if (address !== undefined) throw error;
  });
}
