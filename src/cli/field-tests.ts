import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import type { SignalTestView, WalkTestView } from "../http/site/field-test-port.ts";
import type { ZoneView } from "../http/site/zone-port.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { ControlClient } from "./control-client.ts";
import { heldText } from "./life-safety.ts";
import { tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { pollUntilSignal } from "./poll.ts";

const WALK = "/site/walk-test";

export interface WalkTestOptions {
  /** How long it lasts; undefined for as long as the daemon thinks right. */
  readonly minutes: number | undefined;
  readonly json: boolean;
  /** Only shows the one that runs, or the last one. */
  readonly status: boolean;
  /** Only ends the one that runs. */
  readonly end: boolean;
}

/**
 * Starts a walk test and tells of each zone that trips, until its time is over or the process is asked to end, which
 * ends the test as well: nobody should leave a site with its alarms held back.
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
  stderr.write(heldText(zones.filter(({ isLifeSafety }) => isLifeSafety)));
  let test: WalkTestView | null = await client.post<WalkTestView>(WALK, { minutes: options.minutes });
  stderr.write(`walk test until ${test.until}: nothing is dispatched. Ctrl-C ends it.\n`);
  const seen = new Map(test.zones.map(({ id, trips }) => [id, trips]));
  const over = new AbortController();
  const isOver = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
  await pollUntilSignal(
    async () => {
      test = await client.get<WalkTestView | null>(WALK);
      for (const { id, trips, last } of test?.zones ?? []) {
        if (trips === (seen.get(id) ?? 0)) continue;
        seen.set(id, trips);
        stderr.write(`${id} has tripped, ${last ?? ""} (${trips})\n`);
      }
      if (test?.running !== true) over.abort();
    },
    { ...terminal, untilSignal: () => Promise.race([untilSignal(), isOver]) },
  );
  write(over.signal.aborted ? test : await client.post<WalkTestView | null>(WALK, { end: true }));
}

function reportText(test: WalkTestView | null): string {
  if (!test) return "there was no walk test yet\n";
  const { running, since, until, ended, who, zones, lifeSafetyHeld } = test;
  const seen = zones.filter(({ trips }) => trips > 0).length;
  const when = running ? `until ${until}` : `ended ${ended ?? until}`;
  const rows = zones.map(({ id, trips, last }) => [id, trips === 0 ? "NOT SEEN" : `${trips}`, last ?? ""]);
  return `walk test by ${who}, since ${since}, ${when}: ${seen} of ${zones.length} zones seen\n${heldText(lifeSafetyHeld)}${tableText(["ZONE", "TRIPS", "LAST"], rows)}`;
}

/**
 * Sends one marked intervention the whole way and tells each step of it.
 * @throws AppError `conflict` when it is refused, `unavailable` when it has not arrived in time
 */
export async function signalTest(
  { dataDir }: Config,
  { zone, waitS, json }: { zone: string | undefined; waitS: number; json: boolean },
  terminal: Terminal,
): Promise<void> {
  const { stdout, untilSignal } = terminal;
  const client = new ControlClient(dataDir);
  let test = await client.post<SignalTestView>("/site/signal-test", { zone });
  let told = "";
  const tell = (): void => {
    const line = json ? JSON.stringify(test) : stepText(test);
    if (line !== told) stdout.write(`${line}\n`);
    told = line;
  };
  tell();
  const clock = new SystemClock();
  const over = new AbortController();
  const isOver = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
  const cancel = clock.after(waitS * 1000, () => over.abort());
  await pollUntilSignal(
    async () => {
      test = await client.get<SignalTestView>(`/site/signal-test/${encodeURIComponent(test.key)}`);
      tell();
      if (test.isOver || test.state === "refused") over.abort();
    },
    { ...terminal, untilSignal: () => Promise.race([untilSignal(), isOver]) },
  );
  cancel();
  if (test.state === "refused") throw new AppError("conflict", `the test was refused: ${test.reason ?? ""}`);
  if (!test.isOver)
    throw new AppError("unavailable", "the test has not arrived yet; it goes on by itself", {
      hint: "santinela sync status says what holds it up.",
    });
}

function stepText({ state, zone, interventionId, upstreamId, reason, isOver }: SignalTestView): string {
  const steps = {
    waiting: `${zone}: written down, waits to become an intervention`,
    posted: `${zone}: intervention #${interventionId}${isOver ? ", and there is no centre to send it to" : ", on its way to the centre"}`,
    refused: `${zone}: refused by the local API`,
    arrived: `${zone}: arrived at the centre as #${upstreamId}`,
  };
  return `${steps[state]}${reason === null ? "" : `: ${reason}`}`;
}
