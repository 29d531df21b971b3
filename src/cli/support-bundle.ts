import { execFile } from "node:child_process";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { arch, freemem, release, totalmem, type as systemType, uptime } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { effectiveOptions } from "../config/effective.ts";
import { configurationToRun, type EffectiveConfiguration } from "../config/last-good.ts";
import type { LoadOptions } from "../config/load.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { VERSION } from "../generated/version.ts";
import { fileStamp } from "../ops/backups.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { fileProblems } from "../store/integrity.ts";
import { JOURNAL_DATABASE } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { ControlClient } from "./control-client.ts";
import { installationSecrets, withoutSecrets } from "./installation-secrets.ts";
import { tarArchive, type TarEntry } from "./tar.ts";
import type { Terminal } from "./terminal.ts";

/** Requests to the running daemon, by the name of the file in the bundle. */
const REQUESTS: Readonly<Record<string, string>> = {
  "status.json": "/site/status",
  "zones.json": "/site/zones",
  "sync.json": "/site/sync",
  "events.json": "/site/journal?limit=500",
  "trips.json": "/site/trips?limit=200",
  "metrics.txt": "/metrics",
};
const LOG_LINES = 2000;

/**
 * Creates the support bundle, without secrets. It also works with a stopped daemon, an invalid configuration or a damaged
 * database, and includes the error.
 * @throws AppError `cannot-create` if the file already exists or cannot be written; as `configurationToRun`
 */
export async function supportBundle(
  from: LoadOptions,
  { out }: { out: string | undefined },
  { stdout, cwd }: Terminal,
): Promise<void> {
  const nowMs = new SystemClock().wallMs();
  const run = configurationToRun(from);
  const { config } = run;
  const name = `santinela-support-${config.site.ref}-${fileStamp(nowMs)}`;
  const secrets = installationSecrets(config);
  const entries = [
    { name: "READ-ME.txt", content: README },
    { name: "versions.json", content: json(versions()) },
    { name: "configuration.json", content: configurationText(run, from) },
    { name: "databases.json", content: json(databaseChecks(config.dataDir)) },
    { name: "data-folder.txt", content: directoryText(config.dataDir) },
    ...(await daemonAnswers(config.dataDir)),
    { name: "log.txt", content: await journaldLog() },
  ].map((entry) => ({ name: `${name}/${entry.name}`, content: withoutSecrets(entry.content, secrets) }));
  const path = resolve(cwd, out ?? `${name}.tar.gz`);
  try {
    writeFileSync(path, gzipSync(tarArchive(entries, nowMs)), { mode: 0o600, flag: "wx" });
  } catch (cause) {
    throw new AppError("cannot-create", `cannot write ${path}: ${messageOf(cause)}`, {
      hint: "Specify a new file with --out.",
      cause,
    });
  }
  stdout.write(`${path}\n`);
}

const README = `Support bundle, created by santinela support-bundle.

Passwords, tokens and keys are not included, and are replaced where they occur in other files. The bundle contains names
of zones and objectives, and the e-mail and network addresses of users who signed in.
`;

function versions(): object {
  return {
    santinela: VERSION,
    node: process.versions.node,
    system: `${systemType()} ${release()} ${arch()}`,
    upSeconds: Math.round(uptime()),
    memoryBytes: { total: totalmem(), free: freemem() },
  };
}

function configurationText({ source, fault }: EffectiveConfiguration, from: LoadOptions): string {
  return json({ errors: fault?.split("\n") ?? [], options: effectiveOptions(source, from) });
}

function databaseChecks(dataDir: string): object {
  const check = (file: string, kind: typeof MAIN_DATABASE): readonly string[] =>
    existsSync(join(dataDir, file))
      ? fileProblems(join(dataDir, file), kind, "quick")
      : ["the file is missing"];
  return {
    "santinela.db": check("santinela.db", MAIN_DATABASE),
    "journal.db": check("journal.db", JOURNAL_DATABASE),
  };
}

/** Names, modes, sizes and times; a file removed in the meantime is left out. */
function directoryText(dataDir: string): string {
  if (!existsSync(dataDir)) return `${dataDir} does not exist\n`;
  return readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const found = statSync(join(dataDir, name), { throwIfNoEntry: false });
      if (!found) return "";
      const mode = (found.mode & 0o7777).toString(8).padStart(4, "0");
      return `${mode} ${found.uid}:${found.gid} ${String(found.size).padStart(12)} ${found.mtime.toISOString()} ${name}\n`;
    })
    .join("");
}

async function daemonAnswers(dataDir: string): Promise<TarEntry[]> {
  const client = new ControlClient(dataDir);
  const entries: TarEntry[] = [];
  for (const [name, path] of Object.entries(REQUESTS)) {
    const content = await client.text(path).catch((error: unknown) => `${messageOf(error)}\n`);
    entries.push({ name, content });
  }
  return entries;
}

/** The newest journald lines of the service. */
function journaldLog(): Promise<string> {
  const args = ["-u", "santinela", "-n", String(LOG_LINES), "--no-pager", "-o", "short-iso"];
  return new Promise((resolve) => {
    execFile("journalctl", args, { timeout: 10_000, maxBuffer: 16 * 1_048_576 }, (error, text) =>
      resolve(error ? `journalctl: ${error.message}\n` : text),
    );
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
