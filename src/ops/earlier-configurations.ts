import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError, messageOf } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { readJson, writePrivate } from "../store/durable-files.ts";

/** Earlier texts that are kept. */
const KEPT_MAX = 10;
const FOLDER = "configurations";
/** Who wrote the texts. Beside their folder, so that an earlier release finds only texts in it. */
const ORIGINS = "configuration-origins.json";
/** Changes whose author is remembered: more than texts are kept, because a text may be written again later. */
const WRITTEN_MAX = 30;

/** Who wrote a text of the configuration file, and when. */
interface TextOrigin {
  /** Null if it was edited in the file. */
  readonly by: Actor | null;
  readonly atMs: number;
}

/** A text that the configuration file had before. */
export interface EarlierConfiguration {
  /** Its file in the folder of kept texts. */
  readonly name: string;
  readonly text: string;
  /** When another text replaced it. */
  readonly replacedAtMs: number;
  /** Undefined if it was kept by a release that did not record it. */
  readonly origin: TextOrigin | undefined;
}

interface Origins {
  /** Changes over HTTP that were proven, the oldest first. */
  readonly written: readonly (Actor & { readonly hash: string; readonly atMs: number })[];
  /** By the name of the kept text. */
  readonly kept: Readonly<Record<string, TextOrigin>>;
}

/** SHA-256 of a text, in hexadecimal digits: it names the state of the file that a change is based on. */
export function hashOfText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The path of a kept text. */
export function keptPath(dataDir: string, name: string): string {
  return join(dataDir, FOLDER, name);
}

/** Name of a text that is replaced at this time of the wall clock. */
export function keptName(atMs: number): string {
  return `${new Date(atMs).toISOString().replaceAll(/[:.]/g, "-")}.yaml`;
}

/** The time in the name of a kept text; undefined if a person has named it. */
export function timeInName(name: string): number | undefined {
  const [, date, hour, minute, second] = /^([\d-]+)T(\d\d)-(\d\d)-(\d\d-\d{3})Z/.exec(name) ?? [];
  const atMs = Date.parse(`${date}T${hour}:${minute}:${second?.replace("-", ".")}Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/**
 * Keeps a text. `removeEarlier` then keeps their number.
 * @param editedAtMs when it was written if no change over HTTP wrote it
 */
export function keepText(dataDir: string, name: string, text: string, editedAtMs: number): void {
  mkdirSync(join(dataDir, FOLDER), { recursive: true, mode: 0o700 });
  writePrivate(keptPath(dataDir, name), text);
  noteKept(dataDir, name, text, editedAtMs);
}

/** Keeps a text that was replaced in the file without a change over HTTP, unless it is the newest kept one already. */
export function keepReplaced(dataDir: string, text: string, editedAtMs: number, nowMs: number): void {
  const [newest] = keptConfigurations(dataDir);
  if (newest !== undefined && readFileSync(keptPath(dataDir, newest), "utf8") === text) return;
  const name = keptName(nowMs);
  keepText(dataDir, name, text, editedAtMs);
  removeEarlier(dataDir, [name]);
}

/** Records who wrote a kept text: the text is worth keeping without it. */
export function noteKept(dataDir: string, name: string, text: string, editedAtMs: number): void {
  const { written, kept } = originsIn(dataDir);
  const hash = hashOfText(text);
  const change = written.findLast((one) => one.hash === hash);
  const origin: TextOrigin = change
    ? { by: { who: change.who, from: change.from }, atMs: change.atMs }
    : { by: null, atMs: editedAtMs };
  writeOrigins(dataDir, { written, kept: { ...kept, [name]: origin } });
}

/** Records a proven change over HTTP, for the time when its text is replaced. */
export function noteWritten(dataDir: string, hash: string, { who, from }: Actor, atMs: number): void {
  const { written, kept } = originsIn(dataDir);
  writeOrigins(dataDir, { kept, written: [...written, { hash, who, from, atMs }].slice(-WRITTEN_MAX) });
}

/** Removes the oldest kept texts, so that `KEPT_MAX` remain with these, which stay. @returns whether any was removed */
export function removeEarlier(dataDir: string, stay: readonly string[], keptMax = KEPT_MAX): boolean {
  const earlier = keptConfigurations(dataDir).filter((name) => !stay.includes(name));
  const removed = earlier.slice(Math.max(0, keptMax - stay.length));
  for (const name of removed) rmSync(keptPath(dataDir, name), { force: true });
  return removed.length > 0;
}

/** Names of the kept texts, the newest first. */
export function keptConfigurations(dataDir: string): string[] {
  const folder = join(dataDir, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .toReversed();
}

/** The kept texts, the newest first, without those that cannot be read. */
export function earlierConfigurations(dataDir: string): EarlierConfiguration[] {
  const { kept } = originsIn(dataDir);
  return keptConfigurations(dataDir).flatMap((name) => {
    try {
      const path = keptPath(dataDir, name);
      const replacedAtMs = timeInName(name) ?? statSync(path).mtimeMs;
      return [{ name, text: readFileSync(path, "utf8"), replacedAtMs, origin: kept[name] }];
    } catch {
      // Removed in the meantime, or damaged.
      return [];
    }
  });
}

/** @throws AppError `not-found` for anything but the name of a kept text, `conflict` if it cannot be read */
export function earlierText(dataDir: string, name: string): string {
  if (!keptConfigurations(dataDir).includes(name))
    throw new AppError("not-found", `the earlier configuration ${JSON.stringify(name)} does not exist`);
  try {
    return readFileSync(keptPath(dataDir, name), "utf8");
  } catch (cause) {
    throw new AppError("conflict", `cannot read ${name}: ${messageOf(cause)}`, { cause });
  }
}

/** Empty parts where the file is missing, damaged or has other contents: only names of authors are lost then. */
function originsIn(dataDir: string): Origins {
  const value = readJson(join(dataDir, ORIGINS)) as Partial<Origins> | null | undefined;
  const written = Array.isArray(value?.written) ? value.written.filter(isWritten) : [];
  const kept = Object.entries(value?.kept ?? {}).filter(([, origin]) => isOrigin(origin));
  return { written, kept: Object.fromEntries(kept) };
}

function isWritten(value: unknown): value is Origins["written"][number] {
  const { hash, who, from, atMs } = (value ?? {}) as Partial<Origins["written"][number]>;
  return [hash, who, from].every((text) => typeof text === "string") && typeof atMs === "number";
}

function isOrigin(value: unknown): value is TextOrigin {
  const { by, atMs } = (value ?? {}) as Partial<TextOrigin>;
  if (typeof atMs !== "number") return false;
  return by === null || (typeof by?.who === "string" && typeof by.from === "string");
}

/** Never keeps a text from being written: on a full disk the author is not recorded. */
function writeOrigins(dataDir: string, { written, kept }: Origins): void {
  const names = keptConfigurations(dataDir);
  const remaining = Object.entries(kept).filter(([name]) => names.includes(name));
  try {
    const origins: Origins = { written, kept: Object.fromEntries(remaining) };
    writePrivate(join(dataDir, ORIGINS), JSON.stringify(origins));
  } catch {
    // The list then shows that the author is unknown.
  }
}
