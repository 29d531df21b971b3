import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadConfiguration } from "../../src/config/load.ts";
import type * as Threads from "../../src/daemon-threads.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { prepareDataDir } from "../../src/ops/secrets.ts";
import { SystemClock } from "../../src/ops/system-clock.ts";
import { openReadOnly, type Database } from "../../src/store/database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { SharedLogLevel } from "../../src/threads/thread-log.ts";
import { BUILD } from "./built-program.ts";

interface RecordsThreadOptions {
  /** The objectives of the configuration. */
  readonly objectives: object;
  /** Fills the new database before the thread starts. */
  readonly prepare?: (database: Database) => Promise<unknown>;
  readonly failpoint?: string;
}

/** The records of a site in a thread of the built program, with a connection as the front has one. */
export class RecordsThread {
  readonly #cwd: string;
  readonly path: string;
  readonly clock: SystemClock;
  readonly log: JsonLog;
  readonly conditions: ConditionRegistry;
  readonly parts: Threads.ThreadedParts;
  readonly reader: Database;

  static async start({ objectives, prepare, failpoint }: RecordsThreadOptions): Promise<RecordsThread> {
    const cwd = mkdtempSync(join(tmpdir(), "santinela-records-"));
    const site = { ref: "contract" };
    const gpio = { backend: "simulated" };
    const yaml = { dataDir: "./data", site, http: { port: 0 }, mqtt: "off", gpio, objectives };
    // JSON is YAML too.
    writeFileSync(join(cwd, "santinela.yaml"), JSON.stringify(yaml));
    const { dataDir } = loadConfiguration({ file: join(cwd, "santinela.yaml"), env: {}, cwd });
    prepareDataDir(dataDir);
    const database = openMainDatabase(join(dataDir, "santinela.db"));
    await prepare?.(database);
    database.close();
    // Threads run the built program.
    const program = pathToFileURL(join(BUILD, "daemon-threads.js")).href;
    const { ThreadedParts } = (await import(program)) as typeof Threads;
    const thread = new RecordsThread(cwd, ThreadedParts, failpoint);
    await thread.parts.startRecords();
    return thread;
  }

  private constructor(cwd: string, Parts: typeof Threads.ThreadedParts, failpoint: string | undefined) {
    const load = { file: join(cwd, "santinela.yaml"), env: {}, cwd };
    const config = loadConfiguration(load);
    this.#cwd = cwd;
    this.path = join(config.dataDir, "santinela.db");
    this.clock = new SystemClock();
    this.log = new JsonLog({ level: "error", clock: this.clock, write: () => {} });
    this.conditions = new ConditionRegistry(this.clock, this.log);
    this.parts = new Parts({
      config,
      clock: this.clock,
      log: this.log,
      logLevel: new SharedLogLevel(),
      conditions: this.conditions,
      failpoint,
      load,
      newRun: () => "contract",
      nextDescriptor: () => undefined,
      onChange: () => {},
      siteReportFacts: () => undefined,
    });
    this.reader = openReadOnly(this.path);
  }

  async stop(): Promise<void> {
    this.reader.close();
    await this.parts.stopRecords();
    rmSync(this.#cwd, { recursive: true });
  }
}
