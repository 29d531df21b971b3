import { join } from "node:path";
import { expect } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention, InterventionCreate } from "../../src/domain/intervention.ts";
import type { SyncView } from "../../src/site/sync-view.ts";
import { askDaemon } from "./control-socket.ts";
import { eventually } from "./eventually.ts";
import { FaultProxy } from "./fault-proxy.ts";
import { buildingsYaml, EDGE, Installation, startCentre } from "./installation.ts";
import { TIMEOUT_S } from "./line-faults.ts";

export interface SiteAndCentreOptions {
  /** The proxy removes the keys, so that the dispatch centre does not support them. */
  readonly hidesKeys?: boolean;
  /** Additional configuration of the site: inputs and zones. */
  readonly siteYaml?: string;
  /** Number of buildings on both sides, with ids from 1. */
  readonly buildings?: number;
  /** Program of a former release, which the site runs until its first restart. */
  readonly formerMain?: string | undefined;
}

/**
 * Two real daemons, a site and its dispatch centre, with a proxy between them and the invariants of the final
 * state.
 */
export class SiteAndCentre {
  readonly installation = new Installation();
  readonly #options: SiteAndCentreOptions;
  #parts: Parts | undefined;
  /** Records of others at the dispatch centre, which must never change. */
  readonly #others: Intervention[] = [];
  /** Names of the records that were deleted at the site. */
  readonly #deleted = new Set<string>();
  #count = 0;

  constructor(options: SiteAndCentreOptions = {}) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { hidesKeys = false, siteYaml = "mqtt: off\n", buildings = 3, formerMain } = this.#options;
    const objectives = buildingsYaml(buildings);
    const { centre, port } = await startCentre(this.installation, objectives);
    const line = new FaultProxy(port, { hidesKeys });
    const linePort = await line.start();
    const yaml = `site: { ref: proof }\nhttp: { port: 0 }\ngpio: { backend: simulated }\n${objectives}${siteYaml}upstream: { baseUrl: "http://127.0.0.1:${linePort}", email: ${EDGE.email}, passwordFile: ./upstream.password, timeoutS: ${TIMEOUT_S} }\n`;
    const next = this.installation.daemon("site", yaml);
    const site = formerMain === undefined ? next : this.installation.daemon("site", yaml, formerMain);
    this.#parts = { centre, site, next, line };
    await site.start();
  }

  /** Stops the site in order, and starts the present program on the same data. */
  async restartSite(): Promise<void> {
    const parts = this.#started;
    await parts.site.end("SIGTERM");
    await parts.next.start();
    parts.site = parts.next;
  }

  async remove(): Promise<void> {
    await this.installation.remove();
    await this.#parts?.line.stop();
  }

  get line(): FaultProxy {
    return this.#started.line;
  }

  get site(): DaemonProcess {
    return this.#started.site;
  }

  /** Creates a record of the site with a unique name. */
  async create(fields: Partial<InterventionCreate> = {}): Promise<Intervention> {
    this.#count += 1;
    const record = { name: `Call ${this.#count}`, objectiveType: "obiective/cladiri", objectiveId: 1 };
    return this.#write("POST", "/interventii", 201, { ...record, ...fields });
  }

  change(id: number, fields: Partial<Intervention>): Promise<Intervention> {
    return this.#write("PUT", `/interventii/${id}`, 200, fields);
  }

  async delete({ id, name }: Intervention): Promise<void> {
    await this.#write("DELETE", `/interventii/${id}`, 204);
    this.#deleted.add(name);
  }

  /** Creates a record of another client at the dispatch centre, as similar to one of ours as possible. */
  async createLookalike({ name, objectiveType, objectiveId, dateStart }: Intervention): Promise<void> {
    const lookalike = { name, objectiveType, objectiveId, dateStart, notes: "[ref:elsewhere-1]" };
    const { value } = await askDaemon(this.#folderOf("centre"), "POST", "/interventii", lookalike);
    this.#others.push(value as Intervention);
  }

  /** Orders a manual sync. @returns the number of pending records */
  async ask(): Promise<SyncView> {
    return (await askDaemon(this.#folderOf("site"), "POST", "/site/sync/now")).value as SyncView;
  }

  /**
   * Syncs until nothing is pending at the site or in the proxy. The last sync starts with an idle proxy: a late
   * request may change a record that the sync has already read.
   */
  async settle(withinMs?: number): Promise<void> {
    await eventually(
      "the site to have nothing left to send",
      async () => {
        // On a slow machine, each attempt would otherwise find the requests of the one before.
        await eventually("the line to be idle", () => this.line.isIdle, withinMs);
        const left = await this.ask();
        if (left.summary.waiting > 0 || !this.line.isIdle) throw new Error(JSON.stringify(left));
        return true;
      },
      withinMs,
    );
  }

  /**
   * Checks the final state. Each record of the site is at the dispatch centre exactly once with its last
   * content. Deleted ones are not there, there are no additional ones, records of others are unchanged, and no
   * key was used for two bodies.
   */
  async expectExactlyOnce(): Promise<{ records: number; deleted: number }> {
    const { summary } = await this.site.get<SyncView>("/site/sync");
    expect(summary).toMatchObject({ waiting: 0, blocked: 0, rejected: 0, gone: 0 });
    const here = await allOf(this.#folderOf("site"));
    const there = await allOf(this.#folderOf("centre"));
    const others = there.filter(({ id }) => this.#others.some((other) => other.id === id));
    expect(others).toEqual(this.#others);
    const ours = there.filter(({ id }) => !others.some((other) => other.id === id));
    expect(ours.map(contentOf).sort(byName)).toEqual(here.map(contentOf).sort(byName));
    expect(ours.filter(({ name }) => this.#deleted.has(name))).toEqual([]);
    const twice = [...this.line.bodiesByKey()].filter(([, bodies]) => bodies.size > 1);
    expect(twice).toEqual([]);
    return { records: here.length, deleted: this.#deleted.size };
  }

  async #write<T>(
    method: "POST" | "PUT" | "DELETE",
    path: string,
    wanted: number,
    body?: unknown,
  ): Promise<T> {
    const { status, value } = await askDaemon(this.#folderOf("site"), method, path, body);
    if (status !== wanted)
      throw new Error(`${method} ${path} answered ${status} instead of ${wanted}: ${JSON.stringify(value)}`);
    return value as T;
  }

  #folderOf(name: "site" | "centre"): string {
    return join(this.installation.folder, name);
  }

  get #started(): Parts {
    if (!this.#parts) throw new Error("the daemons were not started");
    return this.#parts;
  }
}

interface Parts {
  readonly centre: DaemonProcess;
  site: DaemonProcess;
  /** The site with the present program. */
  readonly next: DaemonProcess;
  readonly line: FaultProxy;
}

/** All interventions of a daemon, read in pages. */
export async function allOf(dataDir: string): Promise<Intervention[]> {
  const all: Intervention[] = [];
  for (;;) {
    const path = `/interventii?_sort=id&_order=ASC&_start=${all.length}&_end=${all.length + PAGE_ROWS}`;
    const page = (await askDaemon(dataDir, "GET", path)).value as Intervention[];
    all.push(...page);
    if (page.length < PAGE_ROWS) return all;
  }
}

const PAGE_ROWS = 500;

/**
 * The fields that must be equal on both sides: all except those that each side assigns, and the reference that
 * only the dispatch centre has.
 */
function contentOf({ id: _id, dispeceratId: _theirs, notes, ...content }: Intervention): object {
  const text = notes?.replace(/\n?\[ref:proof-[^\]]*\]$/, "") ?? "";
  return { ...content, notes: text === "" ? null : text };
}

function byName(left: object, right: object): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}
