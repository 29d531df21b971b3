import { dirname } from "node:path";
import { loadConfiguration } from "../../src/config/load.ts";
import { Daemon } from "../../src/daemon.ts";
import type { Machine } from "../../src/daemon-options.ts";
import { SystemClock } from "../../src/ops/system-clock.ts";

/** The whole daemon in this process, with the configuration of this file, on this machine. It is not started. */
export function daemonInProcess(
  file: string,
  machine: Machine,
  write: (line: string) => void = () => {},
): Daemon {
  const load = { file, env: {}, cwd: dirname(file) };
  return new Daemon(loadConfiguration(load), {
    write,
    announceInitialPassword: () => {},
    effectiveOptions: () => [],
    load,
    forJournald: false,
    nextDescriptor: () => undefined,
    failpoint: undefined,
    kill: () => {},
    onStarted: () => {},
    configurationFault: undefined,
    restoreFault: undefined,
    reload: { onReloading: () => {}, onReloaded: () => {}, onApplied: () => {}, onProven: () => {} },
    restart: () => {},
    machine,
  });
}

/** A machine with the real clock and the files of /sys in this folder. */
export function machineWith(root: string): Machine {
  return {
    clock: new SystemClock(),
    host: { bootId: "boot-1", upMs: 1e9, time: { isTrusted: () => true } },
    lines: undefined,
    root,
    random: Math.random,
  };
}
