import type { Running } from "../contenders/contender.ts";
import type { Ground } from "../plan.ts";
import { rawPost } from "../requests.ts";
import { percentile } from "../statistics.ts";
import { storm } from "./alarm-storm.ts";
import { chosen, interleave } from "./rounds.ts";

/** A city's sites within ten seconds. */
const PER_SECOND = 1_000;
/** How long a site waits for an answer: the default of `upstream.timeoutS`. */
const LIMIT_MS = 20_000;
/** Those that share commits: one commit for each record takes minutes here. */
const CONTENDERS = ["santinela", "floor-rows", "floor-c"] as const;

/** Thousands of sites that each open a connection and post one alarm, at a centre whose every flush takes 10 ms. */
export async function measureStorms(ground: Ground): Promise<void> {
  if (!ground.slowFlush) {
    ground.tell("  storm is left out: no C compiler (cc) to build the shim with");
    return;
  }
  await interleave(ground, {
    what: "storm",
    contenders: chosen(ground, CONTENDERS),
    // Every flush alike: a stall of half a second would be half of the goal.
    environment: { ...ground.slowFlush, SLOW_FLUSH_STALL_MS: "10" },
    work: (running) => noteStorm(ground, running),
  });
}

async function noteStorm({ scale, notebook, signal, tell }: Ground, running: Running): Promise<void> {
  const { name, site, child } = running;
  const { begunMs, totalMs, timesMs, gaveUp } = await storm({
    port: site.port,
    request: rawPost(running),
    sites: scale.stormSites,
    perSecond: PER_SECOND,
    limitMs: LIMIT_MS,
    signal,
  });
  const p99Ms = percentile(timesMs, 99);
  notebook.note("storm-total", name, totalMs / 1000);
  notebook.note("storm-p50", name, percentile(timesMs, 50));
  notebook.note("storm-p99", name, p99Ms);
  notebook.note("storm-gave-up", name, gaveUp);
  tell(
    `    ${name}: all began within ${(begunMs / 1000).toFixed(1)} s, ${(totalMs / 1000).toFixed(1)} s, p99 ${p99Ms.toFixed(0)} ms, ${gaveUp} gave up, ` +
      `${child.residentMb.toFixed(0)} MB`,
  );
}
