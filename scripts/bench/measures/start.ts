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
  for (const contender of chosen(ground, ["santinela", "floor", "express-packages", "node-red"])) {
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
        notebook.note("rss-idle", name, child.residentMb);
        for (const [thread, megabytes] of (await site.heaps?.()) ?? [])
          if (isHeapFigure(thread)) notebook.note(`heap-${thread}`, name, megabytes);
      });
      await children.endAll();
      if (!isDone) settled.delete(name);
    }
  }
}

/** The built-in broker is not used here. */
function isHeapFigure(thread: string): thread is "sensing" | "records" | "front" {
  return ["sensing", "records", "front"].includes(thread);
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
