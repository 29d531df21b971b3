import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "node:http";
import { FIRST_RECORD, RECORDS_PATH, statusOf, type Running } from "./contenders/contender.ts";
import type { Ground } from "./plan.ts";
import { send, type Load, type LoadResult } from "./wrk.ts";

/** What is posted everywhere. */
const RECORD = {
  name: "Efracție: Ușa principală",
  description: "Zona Ușa principală (front-door) s-a deschis la 23:30:00.",
  dateStart: "2026-11-20T23:30:00",
  status: "planned",
  priority: "high",
  type: "other",
  objectiveType: "obiective/cladiri",
  objectiveId: 1,
  crews: 1,
};

/** Posts the record with so many clients. */
export function post(
  running: Running,
  clients: number,
  ground: Ground,
  seconds?: number,
): Promise<LoadResult> {
  return load(running, ground, { ...posting(ground), clients }, seconds);
}

function posting({ folder }: Ground): Pick<Load, "method" | "path" | "bodyFile"> {
  const bodyFile = join(folder.path, "record.json");
  writeFileSync(bodyFile, JSON.stringify(RECORD));
  return { method: "POST", path: RECORDS_PATH, bodyFile };
}

/** The POST of a record as the bytes of HTTP, over a connection that ends with it. */
export function rawPost({ token }: Running): string {
  // Each character is a byte.
  const body = Buffer.from(JSON.stringify(RECORD)).toString("latin1");
  return [
    `POST ${RECORDS_PATH} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Connection: close",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
}

/** Posts the record with so many clients, each time over a new connection. */
export function postAlone(
  running: Running,
  clients: number,
  ground: Ground,
  seconds: number,
): Promise<LoadResult> {
  return load(running, ground, { ...posting(ground), clients, closes: true }, seconds);
}

/** Reads the first records one after the other with so many clients. */
export function read(
  running: Running,
  clients: number,
  ground: Ground,
  seconds?: number,
): Promise<LoadResult> {
  const { records } = ground.scale;
  return load(running, ground, { method: "GET", path: `${RECORDS_PATH}/`, records, clients }, seconds);
}

/** Asks for one and the same page with one client. */
export function readPage(running: Running, query: string, ground: Ground): Promise<LoadResult> {
  return load(running, ground, { method: "GET", path: `${RECORDS_PATH}?${query}`, clients: 1 });
}

async function load(
  { site, token }: Running,
  { scale, signal }: Ground,
  what: Pick<Load, "method" | "path" | "clients"> & Partial<Load>,
  seconds = scale.seconds,
): Promise<LoadResult> {
  const result = await send({ bodyFile: "", records: 0, ...what, port: site.port, token, seconds }, signal);
  // What the load's clients still had on its way must not be the next load's burden.
  await statusOf(site.port, FIRST_RECORD, token);
  return result;
}

/** Posts the records that are read later, with the ids 1 and up. */
export async function fill(running: Running, { scale }: Ground): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  try {
    await Promise.all(Array.from({ length: scale.records }, () => postOnce(running, agent)));
  } finally {
    agent.destroy();
  }
}

/**
 * Posts one record.
 * @throws Error when it is not taken
 */
export function postOnce({ name, site, token }: Running, agent?: Agent): Promise<void> {
  const headers = {
    "Content-Type": "application/json",
    ...(token === "" ? {} : { Authorization: `Bearer ${token}` }),
  };
  const target = { host: "127.0.0.1", port: site.port, path: RECORDS_PATH, method: "POST", headers };
  return new Promise((resolve, reject) => {
    request({ ...target, ...(agent ? { agent } : {}) }, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () =>
        response.statusCode === 201 || response.statusCode === 200
          ? resolve()
          : reject(new Error(`${name} answered a POST with ${response.statusCode}`)),
      );
    })
      .on("error", reject)
      .end(JSON.stringify(RECORD));
  });
}
