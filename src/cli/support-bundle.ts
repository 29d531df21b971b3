import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { arch, freemem, release, totalmem, type as systemType, uptime } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { effectiveOptions } from "../config/effective.ts";
import { configurationToRun, type EffectiveConfiguration } from "../config/last-good.ts";
import type { LoadOptions } from "../config/load.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import type { Config } from "../config/config.ts";
import { VERSION } from "../generated/version.ts";
import { fileStamp } from "../ops/backups.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { fileProblems } from "../store/integrity.ts";
import { JOURNAL_DATABASE } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { ControlClient } from "./control-client.ts";
import { noticeEmbedded } from "./embedded-notice.ts";
import { unitOf } from "./service-unit.ts";
import { jsonText, type Terminal } from "./terminal.ts";

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
/** Far above the answers of a full site with its log. */
const OUTPUT_BYTES_MAX = 64 * 1_048_576;
const run = promisify(execFile);

/**
 * Creates the support bundle, without secrets. It also works with a stopped daemon, an invalid configuration or a damaged
 * database, and includes the error.
 * @throws AppError `cannot-create` if the file already exists or cannot be written; as `configurationToRun`
 */
export async function supportBundle(
  from: LoadOptions,
  terminal: Terminal,
  { out }: { readonly out?: string },
): Promise<void> {
  const { stdout, cwd } = terminal;
  const nowMs = new SystemClock().wallMs();
  const effective = configurationToRun(from);
  const { config } = effective;
  noticeEmbedded(config, terminal);
  const files = {
    "READ-ME.txt": README,
    "versions.json": jsonText(versions()),
    "configuration.json": configurationText(effective, from),
    "databases.json": jsonText(databaseChecks(config.dataDir)),
    "data-folder.txt": directoryText(config.dataDir),
    ...(await daemonAnswers(config.dataDir)),
    "log.txt": await journaldLog(unitOf(config)),
  };
  const secrets = installationSecrets(config);
  const name = `santinela-support-${config.site.ref}-${fileStamp(nowMs)}`;
  const path = out === undefined ? join(writable(cwd, config.dataDir), `${name}.tar.gz`) : resolve(cwd, out);
  try {
    // Beside the archive: the disk with /tmp may be full, which is a reason for a bundle.
    const folder = mkdtempSync(`${path}.`);
    try {
      mkdirSync(join(folder, name));
      for (const [file, text] of Object.entries(files))
        writeFileSync(join(folder, name, file), withoutSecrets(text, secrets), { mode: 0o600 });
      writeFileSync(path, await archived(folder, name), { mode: 0o600, flag: "wx" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("cannot-create", `cannot write ${path}: ${messageOf(cause)}`, {
      hint: "Specify a new file with --out.",
      cause,
    });
  }
  stdout.write(`${path}\n`);
}

/** The directory in which the user works, or else the one of the data: a command of root runs as the user of the service. */
function writable(cwd: string, dataDir: string): string {
  try {
    rmdirSync(mkdtempSync(join(cwd, ".santinela-")));
    return cwd;
  } catch {
    return dataDir;
  }
}

/** A compressed archive of one directory, created by the system's tar. */
async function archived(parent: string, name: string): Promise<Buffer> {
  const options = { encoding: "buffer", maxBuffer: OUTPUT_BYTES_MAX } as const;
  try {
    return (await run("tar", ["-czf", "-", "-C", parent, name], options)).stdout;
  } catch (cause) {
    throw new AppError("cannot-create", `tar failed: ${messageOf(cause)}`, {
      hint: "Install tar and gzip.",
      cause,
    });
  }
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
  return jsonText({ errors: fault?.split("\n") ?? [], options: effectiveOptions(source, from) });
}

function databaseChecks(dataDir: string): object {
  const check = (file: string, kind: typeof MAIN_DATABASE): readonly string[] => {
    if (!existsSync(join(dataDir, file))) return ["the file is missing"];
    try {
      return fileProblems(join(dataDir, file), kind, "quick");
    } catch (error) {
      return [messageOf(error)];
    }
  };
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

async function daemonAnswers(dataDir: string): Promise<Record<string, string>> {
  const client = new ControlClient(dataDir);
  const answers: Record<string, string> = {};
  for (const [name, path] of Object.entries(REQUESTS))
    answers[name] = await client.text(path).catch((error: unknown) => `${messageOf(error)}\n`);
  return answers;
}

/** The newest journald lines of the service; before them, what journald says to a user who may not read them. */
async function journaldLog(unit: string): Promise<string> {
  const args = ["-u", unit, "-n", String(LOG_LINES), "--no-pager", "-o", "short-iso"];
  try {
    const { stdout, stderr } = await run("journalctl", args, {
      timeout: 10_000,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    return stderr + stdout;
  } catch (error) {
    return `journalctl: ${messageOf(error)}\n`;
  }
}

/** Shorter secrets are skipped: replacing them would damage ordinary text. */
const LENGTH_MIN = 4;

/** All secrets of an installation: passwords, tokens and the lines of its secret files, longest first. */
export function installationSecrets(config: Config): string[] {
  const { dataDir, upstream, upstreams, mqtt, dc09, database, metricsToken } = config;
  const passwords = [
    upstream?.password,
    mqtt.mode === "off" ? undefined : mqtt.credentials?.password,
    ...(mqtt.mode === "built-in" ? mqtt.accounts.map(({ password }) => password) : []),
    ...[...(dc09?.accounts ?? []), ...upstreams].flatMap(({ key }) => formsOf(key ?? "")),
    database?.password,
    metricsToken,
  ];
  const texts = [...filesIn(join(dataDir, "secrets")), ...filesIn(join(dataDir, "tls"))]
    .filter((path) => !path.endsWith(".crt"))
    .map((path) => readFileSync(path, "utf8"));
  // Each line of a PEM key is a secret.
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => !line.startsWith("-----"));
  const all = [...passwords, ...lines].map((text) => text?.trim() ?? "");
  // Longest first, so that a secret that contains another one is replaced as a whole.
  return [...new Set(all)].filter((text) => text.length >= LENGTH_MIN).sort((a, b) => b.length - a.length);
}

/** How a key of DC-09 may be written: as digits, or as the characters that they encode. */
function formsOf(key: string): string[] {
  return [key, key.toLowerCase(), Buffer.from(key, "hex").toString("latin1")];
}

/** A one-time code or generated password: the log has that of a set-up that is not finished (oneTimePassword). */
const GENERATED_CODE = /(?<![\w-])[a-z1-9]{5}(?:-[a-z1-9]{5}){3}(?![\w-])/g;
/** A line of the QR code with it (qrText). */
const QR_LINE = /[▀▄█][ ▀▄█]{20,}/g;

/** Replaces each secret in a text, also in its JSON and URL encodings. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .reduce((left, form) => left.replaceAll(form, "[secret]"), text)
    .replaceAll(GENERATED_CODE, "[secret]")
    .replaceAll(QR_LINE, "[secret]");
}

function filesIn(folder: string): string[] {
  const exists = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return exists ? readdirSync(folder).map((name) => join(folder, name)) : [];
}
