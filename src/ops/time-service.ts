import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import type { CancelTimer, Clock } from "../domain/clock.ts";

/** Whether a time service has set the clock; unknown if none of the programs that could tell is there. */
export type Synchronisation = "synchronised" | "not-synchronised" | "unknown";

/**
 * Time services other than systemd-timesyncd, by the links of enabled units and by what they create at their start: the
 * daemon may start before them.
 */
const OTHER_SERVICES: readonly string[] = [
  ...["chrony", "chronyd", "ntpsec", "ntp", "ntpd", "openntpd"].map(
    (name) => `/etc/systemd/system/multi-user.target.wants/${name}.service`,
  ),
  "/run/chrony",
  "/run/ntpd.pid",
];

/** Whether this machine has a time service other than systemd-timesyncd. @param root directory before every path */
export function hasOtherTimeService(root = ""): boolean {
  return OTHER_SERVICES.some((path) => existsSync(`${root}${path}`));
}

/** Runs a program. @returns its standard output; undefined if it is missing or fails */
type RunProgram = (program: string, parameters: readonly string[]) => Promise<string | undefined>;

const runProgram: RunProgram = (program, parameters) =>
  // Without a bus timedatectl waits for 25 s.
  promisify(execFile)(program, parameters, { timeout: 5_000 }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );

/**
 * Asks whether the clock is synchronised. systemd reads it from the kernel (adjtimex(2)), so it is the same for every
 * time service; chrony without `rtcsync` does not tell the kernel and is asked itself.
 */
export async function askSynchronisation(run: RunProgram = runProgram): Promise<Synchronisation> {
  const kernel = await run("timedatectl", ["show", "--property=NTPSynchronized", "--value"]);
  if (kernel?.trim() === "yes") return "synchronised";
  const chrony = await run("chronyc", ["-n", "tracking"]);
  const leap = /^Leap status\s*: (.+)$/m.exec(chrony ?? "")?.[1];
  if (leap !== undefined) return leap === "Not synchronised" ? "not-synchronised" : "synchronised";
  return kernel?.trim() === "no" ? "not-synchronised" : "unknown";
}

/** Interval of the questions, and of looking whether one is needed, until the clock is synchronised. */
const ASK_INTERVAL_MS = 10_000;

interface TimeWatchOptions {
  readonly clock: Clock;
  /** Whether the clock is trusted without asking: no longer if it is set to another time than its real-time clock. */
  readonly isTrusted: () => boolean;
  readonly onSynchronised: () => void;
  readonly ask?: () => Promise<Synchronisation>;
}

/**
 * While the clock is not trusted, asks every ten seconds until it is synchronised; from then on it stays trusted, as with
 * systemd-timesyncd.
 * @returns a function that ends it
 */
export function watchSynchronisation({
  clock,
  isTrusted,
  onSynchronised,
  ask = askSynchronisation,
}: TimeWatchOptions): CancelTimer {
  let isEnded = false;
  let cancel: CancelTimer = () => {};
  const next = async (): Promise<void> => {
    const answer = isTrusted() ? undefined : await ask();
    if (isEnded) return;
    if (answer === "synchronised") onSynchronised();
    else cancel = clock.after(ASK_INTERVAL_MS, () => void next());
  };
  void next();
  return () => {
    isEnded = true;
    cancel();
  };
}
