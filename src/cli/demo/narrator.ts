import type { Writable } from "node:stream";
import { pause } from "../../domain/clock.ts";
import type { Intervention } from "../../domain/intervention.ts";
import { SystemClock } from "../../ops/system-clock.ts";
import type { SyncView } from "../../site/sync-view.ts";
import type { DaemonProcess } from "./daemon-process.ts";

const STEP_LIMIT_MS = 60_000;
const POLL_INTERVAL_MS = 200;

/** Tells what the demo does, waits for what it has announced, and compares both sides at the end. */
export class Narrator {
  readonly #stdout: Writable;
  readonly #clock = new SystemClock();

  constructor(stdout: Writable) {
    this.#stdout = stdout;
  }

  /** Monotonic time in milliseconds. */
  get nowMs(): number {
    return this.#clock.monotonicMs();
  }

  print(line: string): void {
    this.#stdout.write(`${line}\n`);
  }

  /** @throws Error after a minute */
  async waitFor(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const startedMs = this.nowMs;
    this.print(`  waiting for ${what} …`);
    while (!(await isDone())) {
      if (this.nowMs - startedMs > STEP_LIMIT_MS)
        throw new Error(`after ${STEP_LIMIT_MS / 1000} s still waiting for ${what}`);
      await pause(this.#clock, POLL_INTERVAL_MS);
    }
    this.print(`  … done after ${((this.nowMs - startedMs) / 1000).toFixed(1)} s`);
  }

  /**
   * Prints where each record of the site is at the centre.
   * @param count how many records there must be
   * @returns whether each is there exactly once, and nothing else
   */
  async compare(site: DaemonProcess, centre: DaemonProcess, count: number): Promise<boolean> {
    const here = await interventionsAt(site);
    const there = await interventionsAt(centre);
    this.print("");
    this.print(`${"at the site".padEnd(42)}at the dispatch centre`);
    const counts = here.map((record) => {
      const found = there.filter(
        ({ name, dateStart, objectiveId }) =>
          name === record.name && dateStart === record.dateStart && objectiveId === record.objectiveId,
      );
      const answer = found.length === 1 ? `#${found[0]?.id}, once` : `${found.length} times`;
      this.print(`${`#${record.id} ${record.name}`.padEnd(42)}${answer}`);
      return found.length;
    });
    this.print("");
    return here.length === count && there.length === count && counts.every((one) => one === 1);
  }

  /** Waits until a site has the trips that it cannot send. @param all number of its interventions @param queued of them */
  waitForQueue(site: DaemonProcess, all: number, queued: number): Promise<void> {
    return this.waitFor("both to be recorded on the site and queued", async () => {
      return (await interventionsAt(site)).length === all && (await waitingAt(site)) === queued;
    });
  }

  /** Waits until the centre has this many records, and the site has their answers: only then is its queue empty. */
  waitForArrival(what: string, site: DaemonProcess, centre: DaemonProcess, count: number): Promise<void> {
    return this.waitFor(what, async () => {
      return (await waitingAt(site)) === 0 && (await interventionsAt(centre)).length === count;
    });
  }
}

/** All interventions of a running daemon or centre. */
export function interventionsAt(daemon: DaemonProcess): Promise<Intervention[]> {
  return daemon.get("/interventii");
}

/** Number of records that a site has not delivered yet. */
async function waitingAt(site: DaemonProcess): Promise<number> {
  return (await site.get<SyncView>("/site/sync")).summary.waiting;
}
