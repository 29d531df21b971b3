import { execFileSync } from "node:child_process";
import type { Running } from "../contenders/contender.ts";
import type { FigureName } from "../figures.ts";
import type { Ground } from "../plan.ts";
import { fill, post, read } from "../requests.ts";
import { chosen, interleave, leavingOut } from "./rounds.ts";

const CONTENDERS = ["centre-sqlite", "centre-postgres"] as const;
/** Each with its own connection and one request at a time; the last is a city whose sites are all connected. */
const CLIENTS = [1, 8, 64, 10_000] as const;
/** Beside the connections: files, libraries, and a margin. */
const DESCRIPTORS_BESIDE = 200;
/** With thousands of connections each has its turn several times only in a longer load. */
const MANY = 1_000;
const MANY_SECONDS = 45;

/** POSTs and GETs at a dispatch centre on each of its databases, by the number of connections. */
export async function measureCentres(ground: Ground): Promise<void> {
  const fitting = CLIENTS.filter((clients) => clients + DESCRIPTORS_BESIDE <= descriptorsMax());
  for (const clients of CLIENTS.filter((one) => !fitting.includes(one)))
    ground.tell(`  centre: ${clients} connections are left out: ulimit -n is ${descriptorsMax()}`);
  try {
    await interleave(ground, {
      what: "centre",
      contenders: chosen(ground, CONTENDERS),
      first: (running) => fill(running, ground),
      work: async (running) => {
        // A load at which requests break is reported, and the others are kept.
        for (const clients of fitting)
          await leavingOut(ground, `centre with ${clients} connections`, running.name, () =>
            note(ground, running, clients),
          );
      },
    });
  } finally {
    // The server of the database too: the next measure has the machine to itself.
    await ground.children.endAll();
  }
}

async function note(ground: Ground, running: Running, clients: (typeof CLIENTS)[number]): Promise<void> {
  const { notebook, tell } = ground;
  const seconds = clients > MANY ? MANY_SECONDS : undefined;
  for (const [kind, load] of [
    ["post", post],
    ["get", read],
  ] as const) {
    const { perSecond, p99Ms } = await load(running, clients, ground, seconds);
    const figure = `centre-${kind}-${clients}` as const satisfies FigureName;
    notebook.note(figure, running.name, perSecond);
    notebook.note(`${figure}-p99`, running.name, p99Ms);
    const what = `${clients} ${clients === 1 ? "connection" : "connections"}, ${kind.toUpperCase()}`;
    tell(`    ${running.name}: ${what}: ${perSecond.toFixed(0)} /s, p99 ${p99Ms.toFixed(1)} ms`);
  }
}

/** Open files that the load generator may have; it inherits the limit of this process. */
function descriptorsMax(): number {
  const said = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim();
  return said === "unlimited" ? Infinity : Number(said);
}
