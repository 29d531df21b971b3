import type { Contender } from "./contender.ts";
import { jsonServer } from "./json-server.ts";
import { nodeRed, nodeRedWal } from "./node-red.ts";
import { ownPeers } from "./own-peers.ts";
import { santinela, santinelaPackaged } from "./santinela.ts";

/** Everybody that the bench knows, whether it can be measured here or not. */
export const CONTENDERS_HERE: readonly Contender[] = [
  santinela,
  santinelaPackaged,
  ...ownPeers,
  jsonServer,
  nodeRed,
  nodeRedWal,
];
