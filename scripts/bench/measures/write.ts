import type { ContenderName } from "../contenders/contender.ts";
import type { FigureName } from "../figures.ts";
import type { Ground } from "../plan.ts";
import { fill, post, read } from "../requests.ts";
import { chosen, interleave } from "./rounds.ts";

const CLIENTS = [
  { clients: 1, figure: "post-1", written: "written-1", slow: "slow-post-1" },
  { clients: 8, figure: "post-8", written: "written-8", slow: "slow-post-8" },
  { clients: 64, figure: "post-64", written: "written-64", slow: "slow-post-64" },
] as const satisfies readonly {
  clients: number;
  figure: FigureName;
  written: FigureName;
  slow: FigureName;
}[];

/** Those that flush: only on them can a slow flush tell. */
const DURABLE: readonly ContenderName[] = [
  "santinela",
  "floor",
  "floor-rows",
  "floor-c",
  "floor-each",
  "express",
  "fastify",
  "node-red",
  "node-red-wal",
];

/** Durable POSTs, on this disk and with a slow flush, and GETs while those slow flushes go on. */
export async function measureWrites(ground: Ground): Promise<void> {
  const { notebook, scale } = ground;
  const { slowSeconds } = scale;
  await interleave(ground, {
    what: "write",
    contenders: chosen(ground, [...DURABLE, "json-server"]),
    work: async (running) => {
      const { name, child } = running;
      for (const { clients, figure, written } of CLIENTS) {
        const beforeKib = child.writtenKib;
        const { perSecond, requests } = await post(running, clients, ground);
        notebook.note(figure, name, perSecond);
        notebook.note(written, name, (child.writtenKib - beforeKib) / requests);
      }
    },
    last: async ({ name, child }) => notebook.note("rss-loaded", name, child.residentMb),
  });

  if (!ground.slowFlush) {
    ground.tell("  write with a slow flush is left out: no C compiler (cc) to build the shim with");
    return;
  }
  await interleave(ground, {
    what: "write with a slow flush",
    contenders: chosen(ground, DURABLE),
    environment: ground.slowFlush,
    first: (running) => fill(running, ground),
    work: async (running) => {
      for (const { clients, slow } of CLIENTS)
        notebook.note(slow, running.name, (await post(running, clients, ground, slowSeconds)).perSecond);
      const [, reads] = await Promise.all([
        post(running, 8, ground, slowSeconds),
        read(running, 4, ground, slowSeconds),
      ]);
      notebook.note("slow-get-p50", running.name, reads.p50Ms);
      notebook.note("slow-get-p99", running.name, reads.p99Ms);
    },
  });
}
