import { createSecretKey, randomBytes, randomUUID, type KeyObject } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { orderedUuid } from "../domain/uuid-v7.ts";

/** HS256 wants a key at least as long as its hash (RFC 7518, 3.2). */
const KEY_BYTES = 32;

/** Makes the data folder and its `secrets` folder for this user alone. */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(join(dataDir, "secrets"), { recursive: true, mode: 0o700 });
    chmodSync(join(dataDir, "secrets"), 0o700);
  } catch (cause) {
    throw new AppError(
      "cannot-create",
      `cannot make the data folder ${dataDir}: ${(cause as Error).message}`,
      {
        hint: "Set dataDir to a folder that this user may write to.",
        cause,
      },
    );
  }
}

/** The key that tokens are signed with, and after a rotation the one before it, whose tokens are still taken. */
export interface SigningKeys {
  readonly current: KeyObject;
  readonly previous?: KeyObject;
}

/**
 * The signing keys; the first one is made at random the first time it is asked for.
 * @throws AppError `configuration` when a file holds no usable key
 */
export function signingKeys(dataDir: string): SigningKeys {
  const { currentPath, previousPath } = keyPaths(dataDir);
  const current = keyFrom(currentPath, readOrCreateSecret(currentPath, newKeyText));
  if (!existsSync(previousPath)) return { current };
  return { current, previous: keyFrom(previousPath, readOrCreateSecret(previousPath, newKeyText)) };
}

/** Makes a new signing key; the one until now becomes the previous one, and the one before that is forgotten. */
export function rotateSigningKey(dataDir: string): void {
  const { currentPath, previousPath } = keyPaths(dataDir);
  readOrCreateSecret(currentPath, newKeyText);
  renameSync(currentPath, previousPath);
  readOrCreateSecret(currentPath, newKeyText);
}

/** Forgets the previous key, and with it every token that was signed with it. */
export function revokePreviousKey(dataDir: string): void {
  rmSync(keyPaths(dataDir).previousPath, { force: true });
}

function keyPaths(dataDir: string): { currentPath: string; previousPath: string } {
  const path = (name: string): string => join(dataDir, "secrets", name);
  return { currentPath: path("token-signing.key"), previousPath: path("token-signing.previous.key") };
}

function newKeyText(): string {
  return randomBytes(KEY_BYTES).toString("hex");
}

function keyFrom(path: string, text: string): KeyObject {
  const bytes = /^(?:[0-9a-f]{2})+$/.test(text) ? Buffer.from(text, "hex") : Buffer.alloc(0);
  if (bytes.length < KEY_BYTES || isGuessable(bytes))
    throw new AppError(
      "configuration",
      `${path} does not hold a key of at least ${KEY_BYTES} random bytes in hexadecimal`,
      {
        hint: "Delete the file; a new key is made at the next start and everybody signs in again.",
      },
    );
  return createSecretKey(bytes);
}

/** A key that somebody has typed or repeated: text, or fewer different bytes than one key in 10^9 has by chance. */
function isGuessable(bytes: Buffer): boolean {
  return new Set(bytes).size < 20 || bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** The MQTT client id of this installation: two daemons must never share one. */
export function mqttClientId(dataDir: string): string {
  return readOrCreateSecret(
    join(dataDir, "secrets", "mqtt-client-id"),
    () => `santinela-${randomBytes(6).toString("hex")}`,
  );
}

/** A name that meets no other, for a trial at a broker that many use. */
export function probeName(): string {
  return randomBytes(6).toString("hex");
}

/** A password that people can read aloud: 20 of 32 letters and digits, 100 bits. */
export function oneTimePassword(): string {
  const letters = "abcdefghjkmnpqrstuvwxyz123456789";
  const text = [...randomBytes(20)].map((byte) => letters[byte % letters.length]).join("");
  return text.replaceAll(/(.{5})(?=.)/g, "$1-");
}

/**
 * A secret's text; made the first time, whole or not at all: a power cut or a full disk must not leave an empty file,
 * with which nothing would ever start again.
 */
function readOrCreateSecret(path: string, make: () => string): string {
  const present = readSecret(path);
  if (present !== "") return present;
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${make()}\n`, { mode: 0o600, flush: true });
    if (existsSync(path)) renameSync(draft, path);
    // Of two processes that start at once, one gives the file its name and the other reads it.
    else linkSync(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST")
      throw new AppError("cannot-create", `cannot write ${path}: ${(cause as Error).message}`, {
        hint: "Check that this user may write there and that the disk is not full.",
        cause,
      });
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecret(path);
}

/** Empty when there is none yet. A file that others could read is closed to them. */
function readSecret(path: string): string {
  try {
    const text = readFileSync(path, "utf8").trim();
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return text;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new AppError("no-permission", `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
}

/** A UUID of version 7 for a process that has no daemon. @param wallMs milliseconds since 1970 */
export function newKey(wallMs: number): string {
  return orderedUuid(wallMs, randomUUID());
}
