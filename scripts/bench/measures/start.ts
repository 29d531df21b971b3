import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import {
  FIRST_RECORD,
  statusOf,
  untilReady,
  type Contender,
  type ContenderName,
  type Site,
} from "../contenders/contender.ts";
import type { Child } from "../children.ts";
import { noteMachine } from "../machine.ts";
import { PROGRAM } from "../paths.ts";
import type { Ground } from "../plan.ts";
import { postOnce } from "../requests.ts";
import { chosen, leavingOut } from "./rounds.ts";

/** A process that has just answered still has a few things to do. */
const SETTLE_MS = 2_000;
interface Settled {
  readonly name: ContenderName;
  readonly site: Site;
  readonly token: string;
}

/** Starts of installations that have run before, until the first record is served, and their memory when idle. */
export async function measureStarts(ground: Ground): Promise<void> {
  const { scale, notebook, tell, children } = ground;
  const settled = new Map<ContenderName, Settled>();
  for (const contender of chosen(ground, [
    "santinela",
    "santinela-broker",
    "floor",
    "express-packages",
    "node-red",
  ])) {
    tell(`  start: first start of ${contender.name}`);
    await leavingOut(ground, "start", contender.name, async () => {
      settled.set(contender.name, await settle(ground, contender));
    });
  }
  for (let round = 0; round < scale.starts; round += 1) {
    tell(`  start: round ${round + 1} of ${scale.starts}`);
    noteMachine(ground);
    notebook.note("version", "santinela", await timed([PROGRAM, "version"]));
    notebook.note("version", "machine", await timed(["-e", "0"]));
    for (const { name, site, token } of settled.values()) {
      const isDone = await leavingOut(ground, "start", name, async () => {
        const startMs = performance.now();
        const child = children.start(site.launch);
        await untilServed(child, site, token);
        notebook.note("start", name, performance.now() - startMs);
        await delay(SETTLE_MS);
        const heaps = (await site.heaps?.()) ?? new Map<string, number>();
        if (name === "santinela-broker") noteBroker(ground, child, heaps);
        else notebook.note("rss-idle", name, child.residentMb);
        for (const thread of ["sensing", "records", "front"] as const) {
          const megabytes = heaps.get(thread);
          if (megabytes !== undefined) notebook.note(`heap-${thread}`, name, megabytes);
        }
      });
      await children.endAll();
      if (!isDone) settled.delete(name);
    }
  }
}

/** Of the product in its default configuration, which no peer has. */
function noteBroker({ notebook }: Ground, child: Child, heaps: ReadonlyMap<string, number>): void {
  notebook.note("rss-idle-broker", "santinela", child.residentMb);
  const megabytes = heaps.get("broker");
  if (megabytes === undefined) throw new Error("the thread of the built-in broker is not in the metrics");
  notebook.note("heap-broker", "santinela", megabytes);
}

async function settle({ children, folder }: Ground, contender: Contender): Promise<Settled> {
  const { name } = contender;
  const site = await contender.prepare({ children, folder: folder.folder(name), environment: {} });
  const child = children.start(site.launch);
  await untilReady(child, site);
  const token = await site.token();
  await postOnce({ name, site, child, token });
  await untilServed(child, site, token);
  await child.end();
  return { name, site, token };
}

function untilServed(child: Child, { port }: Site, token: string): Promise<void> {
  return child.until("a record", async () => (await statusOf(port, FIRST_RECORD, token)) === 200);
}

async function timed(words: readonly string[]): Promise<number> {
  const startMs = performance.now();
  await promisify(execFile)(process.execPath, words);
  return performance.now() - startMs;
}
