import { centreOnPostgres, centreOnSqlite } from "./centre.ts";
import type { Contender } from "./contender.ts";
import { floorC } from "./floor-c.ts";
import { jsonServer } from "./json-server.ts";
import { nodeRed, nodeRedWal } from "./node-red.ts";
import { ownPeers } from "./own-peers.ts";
import { santinela, santinelaBroker } from "./santinela.ts";

/** All contenders, including those that cannot be measured here. */
export const CONTENDERS_HERE: readonly Contender[] = [
  santinela,
  santinelaBroker,
  ...ownPeers,
  floorC,
  jsonServer,
  nodeRed,
  nodeRedWal,
  centreOnSqlite,
  centreOnPostgres,
];
