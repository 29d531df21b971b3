import type { ContenderName } from "./contenders/contender.ts";

/** All figures. */
export const FIGURES = {
  "post-1": { title: "durable POST, 1 client", unit: "/s" },
  "post-8": { title: "durable POST, 8 clients", unit: "/s" },
  "post-64": { title: "durable POST, 64 clients", unit: "/s" },
  "slow-post-1": { title: "durable POST with a slow flush, 1 client", unit: "/s" },
  "slow-post-8": { title: "durable POST with a slow flush, 8 clients", unit: "/s" },
  "slow-post-64": { title: "durable POST with a slow flush, 64 clients", unit: "/s" },
  "written-1": { title: "written to the device for a record, 1 client", unit: "KiB" },
  "written-8": { title: "written to the device for a record, 8 clients", unit: "KiB" },
  "written-64": { title: "written to the device for a record, 64 clients", unit: "KiB" },
  "slow-get-p50": { title: "GET while 8 clients write with a slow flush, p50", unit: "ms" },
  "slow-get-p99": { title: "GET while 8 clients write with a slow flush, p99", unit: "ms" },
  "get-8": { title: "GET by id, 8 clients", unit: "/s" },
  "list-small": { title: "filtered, sorted first page of 1,000 rows, p50", unit: "ms" },
  "list-large": { title: "the same of the large table, p50", unit: "ms" },
  "trip-p50": { title: "MQTT publish → committed record, p50", unit: "ms" },
  "trip-p99": { title: "MQTT publish → committed record, p99", unit: "ms" },
  "trip-idle-p50": { title: "trip with the large table, idle, p50", unit: "ms" },
  "trip-idle-p99": { title: "trip with the large table, idle, p99", unit: "ms" },
  "trip-reads-p50": { title: "trip while 8 clients read records, p50", unit: "ms" },
  "trip-reads-p99": { title: "trip while 8 clients read records, p99", unit: "ms" },
  "trip-sort-p50": { title: "trip while a list that no index serves is sorted, p50", unit: "ms" },
  "trip-sort-p99": { title: "trip while a list that no index serves is sorted, p99", unit: "ms" },
  "trip-backup-p50": { title: "trip while a backup is downloaded, p50", unit: "ms" },
  "trip-backup-p99": { title: "trip while a backup is downloaded, p99", unit: "ms" },
  "trip-writes-p50": { title: "trip while 8 clients write, p50", unit: "ms" },
  "trip-writes-p99": { title: "trip while 8 clients write, p99", unit: "ms" },
  "trip-storm-p50": {
    title: "trip while 64 clients write, each record over a new connection, p50",
    unit: "ms",
  },
  "trip-storm-p99": {
    title: "trip while 64 clients write, each record over a new connection, p99",
    unit: "ms",
  },
  "trip-slow-idle-p50": { title: "trip with the large table and a slow flush, idle, p50", unit: "ms" },
  "trip-slow-idle-p99": { title: "trip with the large table and a slow flush, idle, p99", unit: "ms" },
  "trip-slow-writes-p50": { title: "trip while 8 clients write with a slow flush, p50", unit: "ms" },
  "trip-slow-writes-p99": { title: "trip while 8 clients write with a slow flush, p99", unit: "ms" },
  "burst-rate": { title: "burst of 10,000 messages (quick: 2,000)", unit: "messages/s" },
  "burst-lost": { title: "openings lost in the burst", unit: "" },
  "burst-peak": { title: "peak RSS during the burst", unit: "MB" },
  "storm-total": { title: "storm of 10,000 sites (quick: 1,000): the last answer", unit: "s" },
  "storm-p50": { title: "storm: connection → answer, p50", unit: "ms" },
  "storm-p99": { title: "storm: connection → answer, p99", unit: "ms" },
  "storm-gave-up": { title: "storm: sites that gave up after 20 s", unit: "" },
  "alone-post-64": { title: "one optimisation removed: durable POST, 64 clients", unit: "/s" },
  "alone-get-8": { title: "one optimisation removed: GET by id, 8 clients", unit: "/s" },
  "alone-burst": { title: "one optimisation removed: burst of messages", unit: "messages/s" },
  "catch-up-50": { title: "waiting records that leave over TLS, 50 ms", unit: "/s" },
  "catch-up-50-alarm": { title: "new alarm meanwhile until the centre has it, longest, 50 ms", unit: "ms" },
  "catch-up-50-work": { title: "processor time of the site meanwhile, 50 ms", unit: "%" },
  "catch-up-100": { title: "waiting records that leave over TLS, 100 ms", unit: "/s" },
  "catch-up-100-alarm": { title: "new alarm meanwhile until the centre has it, longest, 100 ms", unit: "ms" },
  "catch-up-100-work": { title: "processor time of the site meanwhile, 100 ms", unit: "%" },
  "catch-up-200": { title: "waiting records that leave over TLS, 200 ms", unit: "/s" },
  "catch-up-200-alarm": { title: "new alarm meanwhile until the centre has it, longest, 200 ms", unit: "ms" },
  "catch-up-200-work": { title: "processor time of the site meanwhile, 200 ms", unit: "%" },
  "catch-up-300": { title: "waiting records that leave over TLS, 300 ms", unit: "/s" },
  "catch-up-300-alarm": { title: "new alarm meanwhile until the centre has it, longest, 300 ms", unit: "ms" },
  "catch-up-300-work": { title: "processor time of the site meanwhile, 300 ms", unit: "%" },
  "catch-up-slow-50": { title: "waiting records that leave over TLS, 50 ms, slow flush", unit: "/s" },
  "catch-up-slow-50-alarm": {
    title: "new alarm meanwhile until the centre has it, longest, 50 ms, slow flush",
    unit: "ms",
  },
  "catch-up-slow-50-work": { title: "processor time of the site meanwhile, 50 ms, slow flush", unit: "%" },
  "catch-up-view": { title: "GET /site/sync meanwhile, longest", unit: "ms" },
  "sign-in-last": {
    title: "10,000 sites sign in within 10 s after a power cut (quick: 1,000): the last token",
    unit: "s",
  },
  "sign-in-longest": { title: "the same: longest wait of one site", unit: "s" },
  "sign-in-waits": { title: "the same: answers to wait and broken connections", unit: "" },
  "sign-in-failed": { title: "the same: sites without a token after 3 minutes", unit: "" },
  "sign-in-work": { title: "the same: processor time of the centre", unit: "s" },
  "sign-in-peak": { title: "the same: peak RSS of the centre", unit: "MB" },
  "sign-in-new": {
    title: "sign-ins at a centre that has just been started, each compared with bcrypt",
    unit: "/s",
  },
  "centre-post-1": { title: "centre: durable POST, 1 connection", unit: "/s" },
  "centre-post-1-p99": { title: "centre: durable POST, 1 connection, p99", unit: "ms" },
  "centre-get-1": { title: "centre: GET by id, 1 connection", unit: "/s" },
  "centre-get-1-p99": { title: "centre: GET by id, 1 connection, p99", unit: "ms" },
  "centre-post-8": { title: "centre: durable POST, 8 connections", unit: "/s" },
  "centre-post-8-p99": { title: "centre: durable POST, 8 connections, p99", unit: "ms" },
  "centre-get-8": { title: "centre: GET by id, 8 connections", unit: "/s" },
  "centre-get-8-p99": { title: "centre: GET by id, 8 connections, p99", unit: "ms" },
  "centre-post-64": { title: "centre: durable POST, 64 connections", unit: "/s" },
  "centre-post-64-p99": { title: "centre: durable POST, 64 connections, p99", unit: "ms" },
  "centre-get-64": { title: "centre: GET by id, 64 connections", unit: "/s" },
  "centre-get-64-p99": { title: "centre: GET by id, 64 connections, p99", unit: "ms" },
  "centre-post-10000": { title: "centre: durable POST, 10,000 connections", unit: "/s" },
  "centre-post-10000-p99": { title: "centre: durable POST, 10,000 connections, p99", unit: "ms" },
  "centre-get-10000": { title: "centre: GET by id, 10,000 connections", unit: "/s" },
  "centre-get-10000-p99": { title: "centre: GET by id, 10,000 connections, p99", unit: "ms" },
  "dc09-plain-rate": { title: "alarm panels: acknowledged frames, plain", unit: "/s" },
  "dc09-aes-rate": { title: "alarm panels: acknowledged frames, AES-128", unit: "/s" },
  "dc09-ack-p50": { title: "alarm panel: frame → acknowledgement, p50", unit: "ms" },
  "dc09-ack-p99": { title: "alarm panel: frame → acknowledgement, p99", unit: "ms" },
  "dc09-record-p50": { title: "alarm panel: frame → committed record, p50", unit: "ms" },
  "dc09-record-p99": { title: "alarm panel: frame → committed record, p99", unit: "ms" },
  "dc09-minute-rate": { title: "135 alarm panels with 10,000 events a minute: those sent", unit: "/min" },
  "dc09-minute-p99": { title: "the same: frame → acknowledgement, p99", unit: "ms" },
  "dc09-minute-lost": { title: "the same: events without acknowledgement or trip", unit: "" },
  "dc09-trip-idle-p50": { title: "trip of a sensor while the panels are silent, p50", unit: "ms" },
  "dc09-trip-idle-p99": { title: "trip of a sensor while the panels are silent, p99", unit: "ms" },
  "dc09-trip-elsewhere-p50": {
    title: "trip of a sensor while another process discards what 500 hostile connections send, p50",
    unit: "ms",
  },
  "dc09-trip-elsewhere-p99": {
    title: "trip of a sensor while another process discards what 500 hostile connections send, p99",
    unit: "ms",
  },
  "dc09-trip-hostile-p50": {
    title: "trip of a sensor beside 500 hostile connections of panels, p50",
    unit: "ms",
  },
  "dc09-trip-hostile-p99": {
    title: "trip of a sensor beside 500 hostile connections of panels, p99",
    unit: "ms",
  },
  "dc09-hostile-rate": { title: "the same: messages that were sent", unit: "/s" },
  "dc09-trip-flood-p50": {
    title: "trip of a sensor beside 10,000 events a minute of panels, p50",
    unit: "ms",
  },
  "dc09-trip-flood-p99": {
    title: "trip of a sensor beside 10,000 events a minute of panels, p99",
    unit: "ms",
  },
  start: { title: "start to the first 200", unit: "ms" },
  version: { title: "`santinela version`; for the machine `node -e 0`", unit: "ms" },
  "rss-idle": { title: "RSS, idle after the start", unit: "MB" },
  "rss-idle-broker": { title: "RSS with the built-in broker, idle after the start", unit: "MB" },
  "heap-sensing": { title: "heap of the sensing thread, idle", unit: "MB" },
  "heap-records": { title: "heap of the records thread, idle", unit: "MB" },
  "heap-front": { title: "heap of the front thread, idle", unit: "MB" },
  "heap-broker": { title: "heap of the thread of the built-in broker, idle", unit: "MB" },
  "rss-loaded": { title: "RSS after the POST load", unit: "MB" },
  flush: { title: "one fdatasync of 4 KiB, median", unit: "ms" },
  work: { title: "a fixed piece of arithmetic", unit: "ms" },
} as const satisfies Record<string, { title: string; unit: string }>;

export type FigureName = keyof typeof FIGURES;
/** What the daemon does while a trip is timed. */
export type TripLoad =
  Extract<FigureName, `trip-${string}-p99`> extends `trip-${infer Load}-p99` ? Load : never;
/** How fast waiting records leave; each has `-alarm` and `-work` beside it. */
export type CatchUpFigure =
  Extract<FigureName, `catch-up-${string}-alarm`> extends `${infer Name}-alarm` ? Name : never;

/** One figure of one contender: a value a round, in the order of the rounds. */
export interface Measured {
  readonly figure: FigureName;
  readonly contender: ContenderName;
  readonly values: readonly number[];
}

/** Collects values as they come. */
export class Notebook {
  readonly #measured = new Map<string, { figure: FigureName; contender: ContenderName; values: number[] }>();

  /** @throws Error if the value is not a finite number */
  note(figure: FigureName, contender: ContenderName, value: number): void {
    if (!Number.isFinite(value)) throw new Error(`${figure} of ${contender} is ${value}`);
    const key = `${figure} ${contender}`;
    const entry = this.#measured.get(key) ?? { figure, contender, values: [] };
    entry.values.push(value);
    this.#measured.set(key, entry);
  }

  get measured(): Measured[] {
    return [...this.#measured.values()];
  }
}
