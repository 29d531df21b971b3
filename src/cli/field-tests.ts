import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import type { SignalTestView, WalkTestView, ZoneView } from "../site/zone-view.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { localTime } from "./local-time.ts";
import { pollUntilSignal } from "./poll.ts";
import { counted } from "../domain/headline-text.ts";
import { lifeSafetyNotice, tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { wholeNumber } from "./zone-commands.ts";

const WALK = "/site/walk-test";

/** `test`. */
export function addFieldTestCommands(root: CommandGroup): void {
  const test = root.group("test", "tests of the zones and of the alarm path; needs a running daemon");
  test
    .add(
      "walk",
      "run a walk test: suppress dispatch and list the zones that trip, until Ctrl-C",
      () => walkTest,
    )
    .option("--minutes <number>", "duration in minutes (default 30)")
    .option("--status", "show the running test, or the last one")
    .option("--end", "end the running test")
    .option("--json", "print JSON");
  test
    .add("signal", "send a test intervention to the dispatch centre and show each step", () => signalTest)
    .option("--zone <id>", "the zone of the test (default: the first)")
    .option("--wait <seconds>", "how long to wait for its arrival, in seconds", "60")
    .option("--json", "print JSON, one step per line");
}

interface WalkOptions extends JsonOption {
  readonly minutes?: string;
  readonly status?: boolean;
  readonly end?: boolean;
}

/**
 * Starts a walk test and prints each zone that trips, until its time is over or the process is stopped. Stopping the
 * process also ends the test, so that alarms do not stay suppressed.
 */
async function walkTest({ dataDir, site }: Config, terminal: Terminal, options: WalkOptions): Promise<void> {
  const minutes = wholeNumber("--minutes", options.minutes);
  const { stdout, stderr } = terminal;
  const client = new ControlClient(dataDir);
  const write = (test: WalkTestView | null): void =>
    void stdout.write(options.json ? `${JSON.stringify(test)}\n` : reportText(test, site.timezone));
  if (options.status) return write(await client.get<WalkTestView | null>(WALK));
  if (options.end) return write(await client.post<WalkTestView | null>(WALK, { end: true }));

  const zones = await client.get<ZoneView[]>("/site/zones");
  stderr.write(lifeSafetyNotice(zones.filter(({ isLifeSafety }) => isLifeSafety)));
  let test: WalkTestView | null = await client.post<WalkTestView>(WALK, { minutes });
  stderr.write(
    `walk test until ${localTime(test.until, site.timezone)}: nothing is dispatched. Ctrl-C ends it.\n`,
  );
  const printed = new Map(test.zones.map(({ id, trips }) => [id, trips]));
  const isRunning = (): boolean => test?.running === true;
  const over = new AbortController();
  await pollUntilSignal(
    async () => {
      test = await client.get<WalkTestView | null>(WALK);
      for (const { id, trips, last } of test?.zones ?? []) {
        if (trips === (printed.get(id) ?? 0)) continue;
        printed.set(id, trips);
        stderr.write(`${id} tripped, ${localTime(last, site.timezone)} (${trips})\n`);
      }
      if (!isRunning()) over.abort();
    },
    terminal,
    over,
  );
  write(isRunning() ? await client.post<WalkTestView | null>(WALK, { end: true }) : test);
}

function reportText(test: WalkTestView | null, timeZone: string): string {
  if (!test) return "no walk test yet\n";
  const { running, since, until, ended, who, zones, lifeSafetySuppressed } = test;
  const tested = zones.filter(({ trips }) => trips > 0).length;
  const when = running
    ? `until ${localTime(until, timeZone)}`
    : `ended ${localTime(ended ?? until, timeZone)}`;
  const rows = zones.map(({ id, trips, last }) => [
    id,
    trips === 0 ? "NOT TESTED" : `${trips}`,
    localTime(last, timeZone),
  ]);
  return `walk test by ${who}, since ${localTime(since, timeZone)}, ${when}: ${tested} of ${counted(zones.length, "zone")} tested\n${lifeSafetyNotice(lifeSafetySuppressed)}${tableText(["ZONE", "TRIPS", "LAST"], rows)}`;
}

/**
 * Sends one marked intervention to the dispatch centre and prints each step.
 * @throws AppError `conflict` if it is rejected, `unavailable` if it has not arrived in time
 */
async function signalTest(
  { dataDir }: Config,
  terminal: Terminal,
  { zone, wait, json }: JsonOption & { readonly zone?: string; readonly wait: string },
): Promise<void> {
  const waitS = wholeNumber("--wait", wait) ?? 0;
  const { stdout } = terminal;
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
  const cancel = clock.after(waitS * 1000, () => over.abort());
  await pollUntilSignal(
    async () => {
      test = await client.get<SignalTestView>(`/site/signal-test/${encodeURIComponent(test.key)}`);
      printStep();
      if (test.isOver || test.state === "refused") over.abort();
    },
    terminal,
    over,
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
