import { readFileSync } from "node:fs";

/** Interval of the counts: a list of ten thousand connections takes some milliseconds. */
const COUNT_MS = 500;
/** State of an open connection in /proc/net/tcp (tcp_states.h). */
const ESTABLISHED = "01";

/** Counts the connections that the process behind a port of the loopback has taken, until it is stopped. */
export class OpenConnections {
  /** The most at one time. */
  most = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(port: number) {
    const count = (): void => void (this.most = Math.max(this.most, openAt(port, readTable())));
    this.#timer = setInterval(count, COUNT_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function readTable(): string {
  return readFileSync("/proc/net/tcp", "utf8");
}

/**
 * The number of connections at a port in the table of /proc/net/tcp (proc(5)). One that waits in the kernel until the process takes
 * it has no inode yet.
 */
export function openAt(port: number, table: string): number {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table.split("\n").filter((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    return local.endsWith(ending) && state === ESTABLISHED && inode !== "0";
  }).length;
}
