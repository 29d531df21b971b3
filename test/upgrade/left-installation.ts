import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { MAIN } from "../support/built-program.ts";
import { santinela, type Outcome } from "../support/command-line.ts";
import { unpack } from "./archive.ts";

/** A record of the former release. */
export interface LeftRecord {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: string;
  readonly priority: string;
  readonly type: string;
  readonly objectiveType: string;
  readonly objectiveId: number;
  readonly crews: number;
  readonly notes: string | null;
  readonly isDeleted: 0 | 1;
  readonly phase: string;
  readonly upstreamId: number | null;
}

export interface LeftTrip {
  readonly key: string;
  readonly zoneId: string;
  readonly about: string;
  readonly state: string;
  readonly interventionId: number | null;
}

const RECORDS = `SELECT id, uid, name, description, status, priority, type, objectiveType, objectiveId, crews, notes,
    deleted_at IS NOT NULL AS isDeleted, phase, upstream_id AS upstreamId
  FROM interventions JOIN outbox ON intervention_id = id ORDER BY id`;
const TRIPS =
  "SELECT key, zone_id AS zoneId, about, state, intervention_id AS interventionId FROM trips ORDER BY seq";

/** A site and its dispatch centre as a release has left them, with the present program. */
export class LeftInstallation {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-upgrade-"));
  readonly site: DaemonProcess;
  readonly centre: DaemonProcess;
  sitePort = 0;
  centrePort = 0;
  /** Port of the monitoring receiver, for the next `configure`. */
  receiverPort = 0;

  /** @param main the program; the present one by default */
  constructor(archive: string, main: string = MAIN) {
    unpack(archive, this.folder);
    this.site = this.#daemon("site", main);
    this.centre = this.#daemon("centre", main);
    this.configure("centre");
    this.configure("site");
  }

  /** The same data directories with another release. */
  withRelease(main: string): { readonly site: DaemonProcess; readonly centre: DaemonProcess } {
    return { site: this.#daemon("site", main), centre: this.#daemon("centre", main) };
  }

  /** Starts the dispatch centre, and tells the site its port. */
  async startCentre(centre = this.centre): Promise<void> {
    this.centrePort = (await centre.start()).httpPort;
    this.configure("site");
  }

  async startSite(site = this.site, environment?: NodeJS.ProcessEnv): Promise<void> {
    this.sitePort = (await site.start(environment)).httpPort;
  }

  /** Everything that the former release has written. Read before the first start. */
  left(): { records: LeftRecord[]; trips: LeftTrip[]; events: number } {
    return {
      records: this.rows("site/santinela.db", RECORDS) as LeftRecord[],
      trips: this.rows("site/journal.db", TRIPS) as LeftTrip[],
      events: (this.rows("site/santinela.db", "SELECT count(*) AS n FROM events")[0] as { n: number }).n,
    };
  }

  /** Rows of a database, read from a copy: opening would change its write-ahead log. */
  rows(file: string, sql: string): unknown[] {
    const copy = mkdtempSync(join(this.folder, "copy-"));
    for (const end of ["", "-wal"])
      if (existsSync(join(this.folder, file + end)))
        cpSync(join(this.folder, file + end), join(copy, `copy.db${end}`));
    const database = new Sqlite(join(copy, "copy.db"));
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
      rmSync(copy, { recursive: true });
    }
  }

  /** Changes a database before the first start. The log that a power cut has left stays, for the start to find. */
  change(file: string, sql: string): void {
    const path = join(this.folder, file);
    const wasCut = existsSync(`${path}-wal`);
    const database = new Sqlite(path);
    database.exec(sql);
    const files = [path, `${path}-wal`].map((name) => [name, readFileSync(name)] as const);
    database.close();
    if (wasCut) for (const [name, content] of files) writeFileSync(name, content);
  }

  /** Runs a command of the present program at the site. */
  command(...words: string[]): Promise<Outcome> {
    return santinela([...words, "--config", join(this.folder, "site.yaml")], { cwd: this.folder });
  }

  /** Writes a configuration with the present ports; port 1 refuses connections. */
  configure(name: "site" | "centre"): void {
    const file = join(this.folder, `${name}.yaml`);
    const text = readFileSync(file, "utf8")
      .replace(/baseUrl: \S+/, `baseUrl: http://127.0.0.1:${this.centrePort || 1}`)
      .replace(/^mqtt: \{ url.*$/m, "mqtt: { listen: { port: 0 } }")
      .replace(/^dc09: \{ port: \d+/m, "dc09: { port: 0")
      .replace(/(receivers: \[ \{ host: 127\.0\.0\.1, port: )\d+/, `$1${this.receiverPort || 1}`);
    writeFileSync(file, text);
  }

  async remove(): Promise<void> {
    await this.site.end("SIGKILL");
    await this.centre.end("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  #daemon(name: "site" | "centre", main: string): DaemonProcess {
    const configFile = join(this.folder, `${name}.yaml`);
    // Before `santinela centre` a dispatch centre was a daemon without zones.
    const isCentre = name === "centre" && !/^mqtt:/m.test(readFileSync(configFile, "utf8"));
    return new DaemonProcess({
      main,
      configFile,
      dataDir: join(this.folder, name),
      ...(isCentre ? { command: "centre" as const } : {}),
    });
  }
}
