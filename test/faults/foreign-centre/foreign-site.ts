import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { DaemonProcess } from "../../../src/cli/demo/daemon-process.ts";
import type { Intervention, InterventionCreate } from "../../../src/domain/intervention.ts";
import type { SyncView } from "../../../src/site/sync-view.ts";
import type { StatusView } from "../../../src/site/status-view.ts";
import { askDaemon } from "../../support/control-socket.ts";
import { eventually } from "../../support/eventually.ts";
import { buildingsYaml, EDGE, Installation } from "../../support/installation.ts";
import { allOf } from "../../support/site-and-centre.ts";

export interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

export interface CentreState {
  readonly rows: readonly Row[];
  readonly makers: Readonly<Record<number, string>>;
  readonly violations: readonly unknown[];
  readonly seen: readonly { method: string; path: string; atMs: number; body: string }[];
}

/** A fault by the gateway, the proxy or the network for this number of matching requests. */
export interface LineRule {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** A regular expression. */
  readonly path: string;
  /** Only where the body contains this text. */
  readonly body?: string;
  readonly times: number;
}

export type GatewayRule = LineRule & {
  readonly status: number;
  /** `interface`: with the error body of the contract. */
  readonly shape?: "interface" | "gateway";
  /** Whether the dispatch centre applies it before. */
  readonly isAfter?: boolean;
};

/** A fault by the network, a proxy or a portal: `answer` is the response of a gateway. */
export type SpoilRule = LineRule & {
  readonly kind: "answer" | "reset" | "stall" | "late" | "half" | "nothing" | "portal" | "redirect";
  readonly status?: number;
  readonly shape?: "interface" | "gateway" | "html";
  /** Whether the dispatch centre applies it before. */
  readonly isAfter?: boolean;
};

const CENTRE = fileURLToPath(new URL("centre.mjs", import.meta.url));

/** The built daemon as a site, and a third-party dispatch centre in its own process. */
export class ForeignSite {
  readonly installation = new Installation();
  #centre: { process: ChildProcessWithoutNullStreams; port: number; control: number } | undefined;
  #site: DaemonProcess | undefined;
  #marker: string;

  constructor({ marker = "notes" }: { marker?: "notes" | "description" | "off" } = {}) {
    this.#marker = marker;
  }

  async start(habits: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const centre = spawn(process.execPath, [CENTRE]);
    const [line] = (await new Promise((resolve) => {
      createInterface({ input: centre.stdout }).once("line", (text) => resolve([text]));
    })) as [string];
    this.#centre = { process: centre, ...(JSON.parse(line) as { port: number; control: number }) };
    this.installation.secret("upstream.password", EDGE.password);
    await this.order("habits", habits);
    await this.startSite("site");
  }

  /**
   * Starts the daemon of the site with the data directory of this name: another name is a new memory card with
   * the same settings.
   */
  async startSite(folder: string): Promise<void> {
    this.#folder = folder;
    this.#site = this.installation.daemon(
      folder,
      `site: { ref: proof }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(3)}upstream: { baseUrl: "http://127.0.0.1:${this.#started.port}", email: ${EDGE.email}, passwordFile: ./upstream.password, timeoutS: 3, marker: "${this.#marker}" }\n`,
    );
    await this.#site.start();
  }

  async endSite(): Promise<void> {
    await this.#site?.end("SIGTERM");
  }

  async remove(): Promise<void> {
    await this.installation.remove();
    this.#centre?.process.kill("SIGKILL");
  }

  /** Sends a test command to the dispatch centre. */
  async order<T>(name: string, given: unknown = {}): Promise<T> {
    const url = `http://127.0.0.1:${this.#started.control}/${name}`;
    return (await (await fetch(url, { method: "POST", body: JSON.stringify(given) })).json()) as T;
  }

  state(): Promise<CentreState> {
    return this.order<CentreState>("state");
  }

  /** Creates a record as a user of the dispatch centre. */
  type(fields: object, by = "people"): Promise<Row> {
    return this.order("type", { fields, by });
  }

  async create(fields: Partial<InterventionCreate> = {}): Promise<Intervention> {
    const record = { name: "Intrusion", objectiveType: "obiective/cladiri", objectiveId: 1, ...fields };
    return this.ask(201, "POST", "/interventii", record);
  }

  async ask<T>(
    wanted: number,
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: unknown,
  ): Promise<T> {
    const { status, value } = await askDaemon(this.dataDir, method, path, body);
    if (status !== wanted) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(value)}`);
    return value as T;
  }

  get dataDir(): string {
    return join(this.installation.folder, this.#folder);
  }

  now(): Promise<SyncView> {
    return this.ask(200, "POST", "/site/sync/now");
  }

  status(): Promise<StatusView> {
    return this.ask(200, "GET", "/site/status");
  }

  here(): Promise<Intervention[]> {
    return allOf(this.dataDir);
  }

  /** Orders a sync until the queue is empty. */
  async settle(withinMs?: number): Promise<void> {
    await eventually(
      "the site to have nothing left to send",
      async () => {
        const left = await this.now();
        if (left.records.length > 0) throw new Error(JSON.stringify(left));
        return true;
      },
      withinMs,
    );
  }

  /** Rows at the dispatch centre with the reference of this record, or created by the site with its name. */
  async copiesOf({ name }: Intervention): Promise<Row[]> {
    const { rows, makers } = await this.state();
    return rows.filter((row) => row["name"] === name && makers[row.id] === EDGE.email);
  }

  #folder = "site";

  get #started() {
    if (!this.#centre) throw new Error("the centre was not started");
    return this.#centre;
  }
}

/** Differences between the site and its records at the dispatch centre; empty if each is there exactly once. */
export async function wrongAt(site: ForeignSite): Promise<string[]> {
  const localRecords = await site.here();
  const { rows, makers, violations } = await site.state();
  const ours = rows.filter(({ id }) => makers[id] === EDGE.email);
  const problems = violations.map((violation) => `touched: ${JSON.stringify(violation)}`);
  for (const record of localRecords) {
    const copies = ours.filter((row) => row["name"] === record.name);
    if (copies.length !== 1) problems.push(`${record.name} is there ${copies.length} times`);
    const [copy] = copies;
    if (copy && copy["description"] !== record.description)
      problems.push(`${record.name}: ${String(copy["description"])} there, ${record.description} here`);
  }
  for (const row of ours)
    if (!localRecords.some(({ name }) => name === row["name"]))
      problems.push(`${String(row["name"])} is there and not here`);
  return problems;
}
