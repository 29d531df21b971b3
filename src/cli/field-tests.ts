import { createHash } from "node:crypto";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { plainLine } from "../domain/single-line.ts";
import type { WalkTestResult, WalkTestZone } from "../domain/walk-test.ts";
import type { EndedWalkTestView, SignalTestView, WalkTestView, ZoneView } from "../site/zone-view.ts";
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
    .option("--extend <number>", "extend the running test by this many minutes")
    .option("--end", "end the running test")
    .option("--list", "list the 100 newest completed tests")
    .option("--show <number>", "print the stored result of the test with this number")
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
  readonly extend?: string;
  readonly end?: boolean;
  readonly list?: boolean;
  readonly show?: string;
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
  if (options.list || options.show !== undefined) return earlierTests(client, terminal, options, site);
  if (options.status) return write(await client.get<WalkTestView | null>(WALK));
  if (options.end) {
    const current = await client.get<WalkTestView | null>(WALK);
    if (current?.running === false) stderr.write("no walk test is running; this is the last one:\n");
    return write(await client.post<WalkTestView | null>(WALK, { end: true }));
  }
  const extension = wholeNumber("--extend", options.extend);
  if (extension !== undefined)
    return write(await client.post<WalkTestView>(WALK, { extend: true, minutes: extension }));

  const zones = await client.get<ZoneView[]>("/site/zones");
  stderr.write(lifeSafetyNotice(zones.filter(({ isLifeSafety }) => isLifeSafety)));
  // Before the test begins: a signal that comes with its start ends it too.
  const stopped = terminal.untilSignal();
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
    { ...terminal, untilSignal: () => stopped },
    over,
  );
  write(isRunning() ? await client.post<WalkTestView | null>(WALK, { end: true }) : test);
}

/** Prints the tests that have ended, or the stored result of one; as JSON, the exact text whose hash is in the report. */
async function earlierTests(
  client: ControlClient,
  { stdout }: Terminal,
  { show, json }: WalkOptions,
  { timezone }: Config["site"],
): Promise<void> {
  const number = wholeNumber("--show", show);
  if (number !== undefined) {
    const text = await client.text(`${WALK}s/${number}`);
    const hash = hashText(createHash("sha256").update(text).digest("hex"));
    const shown = resultText(JSON.parse(text) as WalkTestResult, timezone);
    stdout.write(json ? `${text}\n` : `${shown}${hash}`);
    return;
  }
  const tests = await client.get<readonly EndedWalkTestView[]>(`${WALK}s?limit=100`);
  const rows = tests.map((test) => [
    `${test.number}`,
    localTime(test.since, timezone),
    localTime(test.ended, timezone),
    test.who,
    test.tested === null ? "no result stored" : `${test.tested} of ${test.zones}`,
    test.sha256 ?? "",
  ]);
  stdout.write(
    json
      ? `${JSON.stringify(tests)}\n`
      : tableText(["NUMBER", "STARTED", "ENDED", "BY", "TESTED", "SHA-256"], rows),
  );
}

function reportText(test: WalkTestView | null, timeZone: string): string {
  if (!test) return "no walk test yet\n";
  const ended = test.running ? null : (test.ended ?? test.until);
  const text = resultText({ ...test, ended }, timeZone, lifeSafetyNotice(test.lifeSafetySuppressed));
  return `${text}${test.sha256 === null ? "" : hashText(test.sha256)}`;
}

function hashText(sha256: string): string {
  return `SHA-256 ${sha256}\n`;
}

type ShownResult = Omit<WalkTestResult, "ended" | "endedBy"> & {
  /** Null while the test runs. */
  readonly ended: string | null;
  readonly endedBy: string | null;
};

/** @param notice lines between the head and the table */
function resultText(result: ShownResult, timeZone: string, notice = ""): string {
  const { number, site, who, since, until, ended, endedBy, zones } = result;
  const tested = zones.filter(({ passed }) => passed).length;
  const end = `ended ${localTime(ended, timeZone)}${endedBy === null ? "" : ` by ${endedBy}`}`;
  const when = ended === null ? `until ${localTime(until, timeZone)}` : end;
  const rows = zones.map(({ id, first, last, ...zone }) => [
    id,
    tripsText(zone),
    localTime(first, timeZone),
    localTime(last, timeZone),
  ]);
  const place = `${site.name} (${site.ref})`;
  const head = `walk test ${number} at ${place} by ${who}, since ${localTime(since, timeZone)}, ${when}`;
  const table = tableText(["ZONE", "TRIPS", "FIRST", "LAST"], rows);
  return `${plainLine(`${head}: ${tested} of ${counted(zones.length, "zone")} tested`)}\n${notice}${table}`;
}

function tripsText({ passed, bypassed, trips }: Pick<WalkTestZone, "passed" | "bypassed" | "trips">): string {
  if (passed) return `${trips}`;
  return bypassed ? "NOT TESTED: BYPASSED" : "NOT TESTED";
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
