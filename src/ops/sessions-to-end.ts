import { rmSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeDurably } from "../store/durable-files.ts";

const FILE = "mqtt-sessions-to-end.json";
/** Each is one connection more after a start; the oldest give way. */
const SESSIONS_MAX = 32;
/** The client ids that the daemon makes. Others are never ended: another program may use them. */
const OWN = /^santinela-[0-9a-f]{12}$/;

/**
 * Client ids that no daemon will use again, although a broker may still have a session for each: it would queue messages for it for
 * ever. The file survives a power cut, after which the next start ends them.
 */
export class SessionsToEnd {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = join(dataDir, FILE);
  }

  list(): readonly string[] {
    const stored = readJson(this.#file);
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string" && OWN.test(id)) : [];
  }

  /** @returns whether it is stored: not for a foreign client id, and not if the disk does not accept it */
  add(clientId: string): boolean {
    if (!OWN.test(clientId)) return false;
    const stored = this.list();
    if (stored.includes(clientId)) return true;
    try {
      this.#write([...stored, clientId].slice(-SESSIONS_MAX));
      return true;
    } catch {
      return false;
    }
  }

  /** @throws the error of the file system */
  remove(clientId: string): void {
    this.#write(this.list().filter((id) => id !== clientId));
  }

  #write(ids: readonly string[]): void {
    if (ids.length === 0) rmSync(this.#file, { force: true });
    else writeDurably(this.#file, `${JSON.stringify(ids)}\n`);
  }
}
