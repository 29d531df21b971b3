import type { Ground } from "../plan.ts";
import { fill, read } from "../requests.ts";
import { chosen, interleave } from "./rounds.ts";

const CLIENTS = 8;

/** GETs of single records. */
export async function measureReads(ground: Ground): Promise<void> {
  const names = [
    "santinela",
    "floor",
    "floor-rows",
    "floor-c",
    "express",
    "fastify",
    "json-server",
    "node-red",
  ] as const;
  await interleave(ground, {
    what: "read",
    contenders: chosen(ground, names),
    first: (running) => fill(running, ground),
    work: async (running) =>
      ground.notebook.note("get-8", running.name, (await read(running, CLIENTS, ground)).perSecond),
  });
}
