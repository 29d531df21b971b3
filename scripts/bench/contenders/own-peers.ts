import { join } from "node:path";
import jwt from "jsonwebtoken";
import { freePort, SOURCE } from "../paths.ts";
import type { Contender, ContenderName, Setting, Site } from "./contender.ts";
import { peerMissing } from "./peer-packages.ts";

/** Used by the benchmark only. */
const SECRET = "a secret of the bench, as long as HS256 wants it";

/** The peers that are written here, in scripts/bench/peers. */
export const ownPeers: readonly Contender[] = [
  peer("floor", "raw-node-http.mjs"),
  peer("floor-rows", "raw-node-http.mjs", ["--same-rows"]),
  peer("floor-each", "raw-node-http.mjs", ["--one-commit-each"]),
  peer("express", "express.mjs"),
  peer("express-packages", "express.mjs", ["--same-packages"]),
  peer("fastify", "fastify.mjs", [], "fastify"),
];

function peer(
  name: ContenderName,
  program: string,
  words: readonly string[] = [],
  needs?: string,
): Contender {
  return {
    name,
    missing: () => (needs === undefined ? undefined : peerMissing(needs)),
    prepare: (setting) => prepare(setting, program, words),
  };
}

async function prepare(
  { folder, environment, brokerUrl }: Setting,
  program: string,
  words: readonly string[],
): Promise<Site> {
  const port = await freePort();
  const file = join(folder, "records.db");
  const settings = ["--port", String(port), "--file", file, "--secret", SECRET];
  const broker = brokerUrl === undefined ? [] : ["--broker", brokerUrl];
  return {
    port,
    launch: {
      command: process.execPath,
      args: [join(SOURCE, "peers", program), ...settings, ...broker, ...words],
      logFile: join(folder, "log"),
      environment,
    },
    token: () => Promise.resolve(jwt.sign({ sub: "bench" }, SECRET, { expiresIn: "12h" })),
    records: { file, records: "SELECT count(*) FROM interventions" },
  };
}
