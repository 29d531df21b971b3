import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { santinela, type Outcome } from "./command-line.ts";
import type { PostgresServer } from "./postgres.ts";

/** A stopped centre on SQLite and an empty database of PostgreSQL, with the command that moves it there. */
export class MovingCentre {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-move-"));
  readonly dataDir = join(this.folder, "data");
  readonly server: PostgresServer;
  url = "";

  private constructor(server: PostgresServer) {
    this.server = server;
  }

  /** @param original the data directory, which is copied */
  static async of(original: string, server: PostgresServer): Promise<MovingCentre> {
    const centre = new MovingCentre(server);
    cpSync(original, centre.dataDir, { recursive: true });
    await centre.useNewDatabase();
    return centre;
  }

  async useNewDatabase(): Promise<void> {
    this.url = await this.server.newDatabase();
    this.configure(this.url);
  }

  /** Writes the configuration. @param url of the database; null for none */
  configure(url: string | null): void {
    const database = url === null ? "" : `database: "${url}"\n`;
    writeFileSync(
      join(this.folder, "centre.yaml"),
      `dataDir: ./data\nsite: { ref: centre, timezone: UTC }\n${database}`,
    );
  }

  /** Uses a line to the server instead of its socket. */
  connectThrough({ folder }: { readonly folder: string }): void {
    const [there, near] = [this.server.folder, folder].map((name) => encodeURIComponent(name));
    this.configure(this.url.replace(there ?? "", near ?? ""));
  }

  run(...words: string[]): Promise<Outcome> {
    return santinela([...words, "--config", "centre.yaml"], { cwd: this.folder });
  }

  move(from = "data"): Promise<Outcome> {
    return this.run("migrate", "--from-sqlite", from);
  }

  async query<Row>(sql: string): Promise<Row[]> {
    const name = decodeURIComponent(new URL(this.url).pathname.slice(1));
    return (await this.server.query(name, sql)) as Row[];
  }

  async rowsIn(table: string): Promise<number> {
    const [row] = await this.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`);
    return Number(row?.n);
  }

  /** Reads or changes the file of the source. */
  inSource<T>(use: (source: Sqlite.Database) => T): T {
    const source = new Sqlite(join(this.dataDir, "santinela.db"));
    try {
      return use(source);
    } finally {
      source.close();
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
