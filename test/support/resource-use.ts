import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

/** Resource use of a daemon at one time. */
export interface ResourceUse {
  /** Since the start of the run. */
  readonly seconds: number;
  /** Number of the start of the daemon in this run, from 1. */
  readonly start: number;
  readonly rssMiB: number;
  readonly descriptors: number;
  /** Total size of the write-ahead logs. */
  readonly walMiB: number;
  /** Total size of the databases without their logs. */
  readonly databaseMiB: number;
  /** Longest response time of the control socket since the last row, which shows event loop delays. */
  readonly slowestAnswerMs: number;
  /** Records not yet at the dispatch centre. */
  readonly waiting: number;
}

const COLUMNS = [
  "seconds",
  "start",
  "rssMiB",
  "descriptors",
  "walMiB",
  "databaseMiB",
  "slowestAnswerMs",
  "waiting",
] as const satisfies readonly (keyof ResourceUse)[];

/** Process of this configuration; undefined without /proc or such a process. */
export function processOf(configFile: string): number | undefined {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      const words = readOrNothing(`/proc/${pid}/cmdline`).split("\0");
      return words.includes("serve") && words.includes(configFile);
    });
}

/** Memory and descriptors of a process, and the size of its databases. */
export function resourcesOf(
  pid: number,
  dataDir: string,
): Pick<ResourceUse, "rssMiB" | "descriptors" | "walMiB" | "databaseMiB"> {
  const rssKiB = Number(/^VmRSS:\s+(\d+) kB/m.exec(readOrNothing(`/proc/${pid}/status`))?.[1] ?? 0);
  const databases = ["santinela.db", "journal.db"].map((name) => join(dataDir, name));
  return {
    rssMiB: rssKiB / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    walMiB: mebibytesOf(databases.map((path) => `${path}-wal`)),
    databaseMiB: mebibytesOf(databases),
  };
}

/** How many sockets a process holds. Files that it opens for a while, such as those of a backup, are none of them. */
export function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith("socket:");
    } catch {
      // Closed since the folder was read.
      return false;
    }
  }).length;
}

/** The rows as CSV. */
export function csvOf(rows: readonly ResourceUse[]): string {
  const lines = rows.map((row) => COLUMNS.map((column) => String(Number(row[column].toFixed(2)))).join(","));
  return `${[COLUMNS.join(","), ...lines].join("\n")}\n`;
}

const WIDTH = 900;
const PANEL = 110;
const MARGIN = 46;

/**
 * The rows as a chart: time on the x axis, one panel per column, each with its own scale from zero, and a dashed line at
 * each restart of the daemon.
 */
export function drawingOf(rows: readonly ResourceUse[]): string {
  const columns = COLUMNS.filter((column) => column !== "seconds" && column !== "start");
  const last = Math.max(1, rows.at(-1)?.seconds ?? 1);
  const xOf = ({ seconds }: ResourceUse): string =>
    (MARGIN + (seconds / last) * (WIDTH - 2 * MARGIN)).toFixed(1);
  const restarts = rows.filter((row, index) => row.start > (rows[index - 1]?.start ?? 1));
  const panels = columns.map((column, index) => {
    const top = 20 + index * PANEL;
    const most = Math.max(1, ...rows.map((row) => row[column]));
    const points = rows.map((row) => {
      const y = top + (PANEL - 30) * (1 - row[column] / most);
      return `${xOf(row)},${y.toFixed(1)}`;
    });
    const bottom = top + PANEL - 30;
    return [
      `<text x="${MARGIN}" y="${top - 5}">${column}, at most ${Number(most.toFixed(1))}</text>`,
      `<line x1="${MARGIN}" y1="${bottom}" x2="${WIDTH - MARGIN}" y2="${bottom}" stroke="#bbb"/>`,
      `<polyline fill="none" stroke="#1f5f8b" points="${points.join(" ")}"/>`,
    ].join("\n");
  });
  const height = 30 + columns.length * PANEL;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    ...restarts.map(
      (row) =>
        `<line x1="${xOf(row)}" y1="20" x2="${xOf(row)}" y2="${height - 30}" stroke="#c60" stroke-dasharray="3"/>`,
    ),
    ...panels,
    `<text x="${MARGIN}" y="${height - 8}">dashed: restart of the daemon (${(rows.at(-1)?.start ?? 1) - 1})</text>`,
    `<text x="${WIDTH - MARGIN}" y="${height - 8}" text-anchor="end">${(last / 3600).toFixed(2)} hours</text>`,
    "</svg>\n",
  ].join("\n");
}

function mebibytesOf(paths: readonly string[]): number {
  const sizes = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20;
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // The process has exited meanwhile.
    return "";
  }
}
