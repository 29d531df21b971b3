import { request } from "node:http";
import type { Child, ChildOptions, Children } from "../children.ts";

/** A program that is measured: the product or a peer. */
export interface Contender {
  readonly name: ContenderName;
  /** Whether it is the broker of its sensors, and so listens at the URL of the broker. */
  readonly isBroker?: true;
  /** Why it cannot be measured here; undefined if it can. */
  missing(): string | undefined;
  /** Prepares its folder without starting it. */
  prepare(setting: Setting): Promise<Site>;
}

export const CONTENDERS = {
  santinela: "the product, as built",
  "santinela-broker": "the product with its built-in MQTT broker",
  floor: "bare node:http and better-sqlite3 with the same group commit: one row for each record",
  "floor-rows": "the same with all rows and indices that the product writes, and the account that it reads",
  "floor-c":
    "one thread in C with epoll and the same SQLite, all rows and indices that the product writes, and the account that it reads: the limit on this machine",
  "floor-each": "the floor with a commit for each record",
  express: "a minimal Express application with better-sqlite3, a commit for each record",
  "express-packages": "the same, loading every package of the product at its start",
  fastify: "a minimal Fastify application with better-sqlite3, a commit for each record",
  "json-server": "json-server 0.17 (no fsync, no token)",
  "node-red": "Node-RED 5 with an MQTT-in → HTTP → SQLite flow, its SQLite as the node makes it (no token)",
  "node-red-wal": "the same with a database set to WAL mode by hand",
  "without-token-cache": "the product, checking the signature of a token at each request",
  "without-key-object": "the same, with the secret as text",
  "without-typed-requests": "the product, with requests that Express converts",
  "without-lean-answers": "the product, with the JSON response of Express",
  "without-kept-statements": "the product, compiling each SQL statement at each use",
  "without-ordered-keys": "the product, with random keys instead of keys that begin with the time",
  "without-shared-commits": "the product, with a separate commit for each write",
  "without-shared-journal": "the product, processing an MQTT message after the previous one is on the disk",
  "without-kept-connections": "the product, with a new connection to its own API for each request of a trip",
  "without-side-by-side": "the product, dispatching one trip at a time through its own API",
  "without-remembered-records": "the product, reading a record again before each trip that joins it",
  "centre-sqlite": "a dispatch centre (`santinela centre`) on SQLite",
  "centre-postgres": "one process of a dispatch centre on PostgreSQL, which runs on the same machine",
  machine: "this machine: measured while nothing else runs",
} as const;

export type ContenderName = keyof typeof CONTENDERS;

export interface Setting {
  readonly children: Children;
  /** Empty, and its own. */
  readonly folder: string;
  /** Broker with the sensors; without it there are none. */
  readonly brokerUrl?: string;
  /** Beside the process's own. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A contender that is prepared and can be started. */
export interface Site {
  readonly port: number;
  readonly launch: ChildOptions;
  /** Whether it is ready; without this, any response counts. */
  isReady?(): Promise<boolean>;
  /** A token for its API, while it runs; empty if it needs none. */
  token(): Promise<string>;
  /** The heap of each of its threads in MB, by name; undefined if it does not tell. */
  heaps?(): Promise<ReadonlyMap<string, number>>;
  /** Where its records are written, for those that take openings from MQTT. */
  readonly records?: RecordFile;
}

/** How an observer counts committed records without a request to the process. */
export interface RecordFile {
  readonly file: string;
  /**
   * SQL that gives the number of committed records. Without it the file is in rollback mode, where a reader would keep the
   * writer waiting; there a record is a transaction, and the file's head counts those.
   */
  readonly records?: string;
  /** A file and SQL for the number of openings that are through, where that is not the number of records. */
  readonly openings?: { readonly file: string; readonly sql: string };
}

/** A contender that answers. */
export interface Running {
  readonly name: ContenderName;
  readonly site: Site;
  readonly child: Child;
  readonly token: string;
}

/** Where every contender has its records. */
export const RECORDS_PATH = "/interventii";

/** Starts it and waits until it is ready. */
export async function launch(contender: Contender, setting: Setting): Promise<Running> {
  const site = await contender.prepare(setting);
  const child = setting.children.start(site.launch);
  await child.until(
    `${contender.name} to answer`,
    async () => (await statusOf(site.port, "/")) !== undefined && ((await site.isReady?.()) ?? true),
  );
  return { name: contender.name, site, child, token: await site.token() };
}

/** Waits until a contender that was started answers. */
export function untilReady(child: Child, site: Site): Promise<void> {
  return child.until("its first answer", async () => {
    if ((await statusOf(site.port, FIRST_RECORD)) === undefined) return false;
    return (await site.isReady?.()) ?? true;
  });
}

/** Exists once anything was recorded. */
export const FIRST_RECORD = `${RECORDS_PATH}/1`;

/** The status of a GET; undefined without a response. */
export function statusOf(port: number, path: string, token = ""): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = token === "" ? {} : { Authorization: `Bearer ${token}` };
    request({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    })
      .on("error", () => resolve(undefined))
      .end();
  });
}
