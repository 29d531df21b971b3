import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freePort, PROGRAM } from "../paths.ts";
import type { Contender, ContenderName, Setting, Site } from "./contender.ts";
import { addAccount, santinela, signIn } from "./santinela.ts";

/** For ten thousand connections, and a margin. */
const CONNECTIONS_MAX = 12_000;
/** Where Debian has the programs of each version. */
const DEBIAN = "/usr/lib/postgresql";
/** Debian's user without rights: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;

/** A dispatch centre as it is without an option. */
export const centreOnSqlite: Contender = {
  name: "centre-sqlite" satisfies ContenderName,
  missing: () => santinela.missing(),
  prepare: (setting) => prepare(setting, ""),
};

/** One process of a dispatch centre, with a server of its own that flushes as it does by default. */
export const centreOnPostgres: Contender = {
  name: "centre-postgres" satisfies ContenderName,
  missing: () =>
    santinela.missing() ??
    (programs() === undefined
      ? "PostgreSQL is not installed; on Debian: apt-get install postgresql"
      : undefined),
  prepare: async (setting) => prepare(setting, `database: "${await startServer(setting)}"\n`),
};

async function prepare({ folder, environment }: Setting, database: string): Promise<Site> {
  const port = await freePort();
  const configFile = join(folder, "centre.yaml");
  writeFileSync(
    configFile,
    `dataDir: ./data\nsite: { ref: centre }\n${database}http: { port: ${port}, connectionsMax: ${CONNECTIONS_MAX} }\n` +
      "objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }\n",
  );
  await addAccount(configFile);
  return {
    port,
    launch: {
      command: process.execPath,
      args: [PROGRAM, "centre", "--config", configFile],
      logFile: join(folder, "log"),
      environment,
    },
    token: () => signIn(port),
  };
}

/** Starts a server below the folder of the contender. @returns the URL of its database */
async function startServer({ children, folder }: Setting): Promise<string> {
  const from = programs() ?? "";
  const own = join(folder, "postgres");
  const data = join(own, "data");
  mkdirSync(own);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    // Another user must be able to reach its folder.
    for (const parent of [dirname(folder), folder]) chmodSync(parent, 0o711);
    chownSync(own, UNPRIVILEGED, UNPRIVILEGED);
  }
  const user = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  const options = ["-U", "santinela", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"];
  execFileSync(join(from, "initdb"), ["-D", data, ...options], { ...user, cwd: own, stdio: "pipe" });
  const settings = ["listen_addresses=", "shared_buffers=256MB", "max_wal_size=4GB"];
  const server = children.start({
    command: join(from, "postgres"),
    args: ["-D", data, "-k", own, ...settings.flatMap((one) => ["-c", one])],
    logFile: join(folder, "postgres.log"),
    folder: own,
    ...(isRoot ? { userId: UNPRIVILEGED } : {}),
  });
  await server.until("PostgreSQL to listen", () => existsSync(join(own, ".s.PGSQL.5432")));
  await server.until("PostgreSQL to accept connections", () => accepts(from, own));
  return `postgres://santinela@${encodeURIComponent(own)}/postgres`;
}

function accepts(from: string, folder: string): boolean {
  try {
    execFileSync(join(from, "pg_isready"), ["-h", folder, "-U", "santinela"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function programs(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined;
  return readdirSync(DEBIAN)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, "bin"))
    .find((folder) => existsSync(join(folder, "postgres")));
}
