import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import type { SignalTestView, WalkTestView, ZoneView } from "../site/zone-view.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { ControlClient } from "./control-client.ts";
import { lifeSafetyNotice } from "./life-safety.ts";
import { tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { pollUntilSignal } from "./poll.ts";

const WALK = "/site/walk-test";

export interface WalkTestOptions {
  /** Duration; undefined for the daemon's default. */
  readonly minutes: number | undefined;
  readonly json: boolean;
  /** Only shows the running test, or the last one. */
  readonly status: boolean;
  /** Only ends the running test. */
  readonly end: boolean;
}

/**
 * Starts a walk test and prints each zone that trips, until its time is over or the process is stopped. Stopping the
 * process also ends the test, so that alarms do not stay suppressed.
 */
export async function walkTest(
  { dataDir }: Config,
  options: WalkTestOptions,
  terminal: Terminal,
): Promise<void> {
  const { stdout, stderr, untilSignal } = terminal;
  const client = new ControlClient(dataDir);
  const write = (test: WalkTestView | null): void =>
    void stdout.write(options.json ? `${JSON.stringify(test)}\n` : reportText(test));
  if (options.status) return write(await client.get<WalkTestView | null>(WALK));
  if (options.end) return write(await client.post<WalkTestView | null>(WALK, { end: true }));

  const zones = await client.get<ZoneView[]>("/site/zones");
  stderr.write(lifeSafetyNotice(zones.filter(({ isLifeSafety }) => isLifeSafety)));
  let test: WalkTestView | null = await client.post<WalkTestView>(WALK, { minutes: options.minutes });
  stderr.write(`walk test until ${test.until}: nothing is dispatched. Ctrl-C ends it.\n`);
  const printed = new Map(test.zones.map(({ id, trips }) => [id, trips]));
  const over = new AbortController();
  const isOver = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
  await pollUntilSignal(
    async () => {
      test = await client.get<WalkTestView | null>(WALK);
      for (const { id, trips, last } of test?.zones ?? []) {
        if (trips === (printed.get(id) ?? 0)) continue;
        printed.set(id, trips);
        stderr.write(`${id} tripped, ${last ?? ""} (${trips})\n`);
      }
      if (test?.running !== true) over.abort();
    },
    { ...terminal, untilSignal: () => Promise.race([untilSignal(), isOver]) },
  );
  write(over.signal.aborted ? test : await client.post<WalkTestView | null>(WALK, { end: true }));
}

function reportText(test: WalkTestView | null): string {
  if (!test) return "no walk test yet\n";
  const { running, since, until, ended, who, zones, lifeSafetyHeld } = test;
  const tested = zones.filter(({ trips }) => trips > 0).length;
  const when = running ? `until ${until}` : `ended ${ended ?? until}`;
  const rows = zones.map(({ id, trips, last }) => [id, trips === 0 ? "NOT TESTED" : `${trips}`, last ?? ""]);
  return `walk test by ${who}, since ${since}, ${when}: ${tested} of ${zones.length} zones tested\n${lifeSafetyNotice(lifeSafetyHeld)}${tableText(["ZONE", "TRIPS", "LAST"], rows)}`;
}

/**
 * Sends one marked intervention to the dispatch centre and prints each step.
 * @throws AppError `conflict` if it is rejected, `unavailable` if it has not arrived in time
 */
export async function signalTest(
  { dataDir }: Config,
  { zone, waitS, json }: { zone: string | undefined; waitS: number; json: boolean },
  terminal: Terminal,
): Promise<void> {
  const { stdout, untilSignal } = terminal;
  const client = new ControlClient(dataDir);
  let test = await client.post<SignalTestView>("/site/signal-test", { zone });
  let printed = "";
  const printStep = (): void => {
    const line = json ? JSON.stringify(test) : stepText(test);
    if (line !== printed) stdout.write(`${line}\n`);
    printed = line;
  };
  printStep();
  const clock = new SystemClock();
  const over = new AbortController();
  const isOver = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
  const cancel = clock.after(waitS * 1000, () => over.abort());
  await pollUntilSignal(
    async () => {
      test = await client.get<SignalTestView>(`/site/signal-test/${encodeURIComponent(test.key)}`);
      printStep();
      if (test.isOver || test.state === "refused") over.abort();
    },
    { ...terminal, untilSignal: () => Promise.race([untilSignal(), isOver]) },
  );
  cancel();
  if (test.state === "refused") throw new AppError("conflict", `the test was rejected: ${test.reason ?? ""}`);
  if (!test.isOver)
    throw new AppError("unavailable", "the test has not arrived yet; delivery continues in the background", {
      hint: "Run santinela sync status to see the reason.",
    });
}

function stepText({ state, zone, interventionId, upstreamId, reason, isOver }: SignalTestView): string {
  const steps = {
    waiting: `${zone}: recorded, waiting for dispatch`,
    posted: `${zone}: intervention #${interventionId}${isOver ? ", no dispatch centre configured" : ", queued for the dispatch centre"}`,
    refused: `${zone}: rejected by the local API`,
    arrived: `${zone}: arrived at the dispatch centre as #${upstreamId}`,
  };
  return `${steps[state]}${reason === null ? "" : `: ${reason}`}`;
}
