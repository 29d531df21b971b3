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
import { AppError, messageOf } from "../domain/errors.ts";
import { setAside } from "./damaged-files.ts";
import { isReadOnlyHere } from "./read-only-mount.ts";

/** HS256 requires a key at least as long as its hash (RFC 7518, 3.2). */
const KEY_BYTES = 32;
/** AES-128. */
const ALARM_PANEL_KEY_BYTES = 16;

/** Creates the data directory and its `secrets` directory, accessible to this user only. */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(join(dataDir, "secrets"), { recursive: true, mode: 0o700 });
    chmodSync(join(dataDir, "secrets"), 0o700);
  } catch (cause) {
    // Of a directory that is missing too, the error is ENOENT.
    if (isReadOnlyHere(dataDir))
      throw new AppError("cannot-create", `the service may not write to the data directory ${dataDir}`, {
        hint: `Mount the disk at /var/lib/santinela (of a dispatch centre /var/lib/santinela-centre) and remove dataDir, or add ReadWritePaths=${dataDir} to the service and its backup: see "Data on another disk" in /usr/share/doc/santinela/docs/installing.md.`,
        cause,
      });
    if ((cause as NodeJS.ErrnoException).code === "EROFS")
      throw new AppError("cannot-create", `the disk of the data directory ${dataDir} is read-only`, {
        hint: "A failing card or disk is often made read-only: dmesg shows why. Replace it, or make it writable (mount -o remount,rw).",
        cause,
      });
    throw new AppError(
      "cannot-create",
      `cannot create the data directory ${dataDir}: ${(cause as Error).message}`,
      {
        hint: "Set dataDir to a directory that this user may write to.",
        cause,
      },
    );
  }
}

/** The key that signs tokens, and after a rotation the previous one, whose tokens are still accepted. */
export interface SigningKeys {
  readonly current: KeyObject;
  readonly previous?: KeyObject;
}

/**
 * Loads the signing keys; the first one is generated on demand. A damaged one is set aside and generated again.
 * @param onUnstored called with the reason if a key could not be read or stored, so that it ends with this run
 */
export function signingKeys(dataDir: string, onUnstored: (reason: string) => void): SigningKeys {
  const { currentPath, previousPath } = keyPaths(dataDir);
  const load = (path: string): KeyObject => {
    try {
      return loadedKey(path);
    } catch (error) {
      onUnstored(messageOf(error));
      return keyFrom(path, newKeyText());
    }
  };
  const current = load(currentPath);
  return existsSync(previousPath) ? { current, previous: load(previousPath) } : { current };
}

/**
 * The stored signing keys in hexadecimal, the current one last; empty before the first start.
 * @throws AppError `storage` for a damaged one, `no-permission` if one cannot be read
 */
export function storedSigningKeys(dataDir: string): string[] {
  const { currentPath, previousPath } = keyPaths(dataDir);
  return [previousPath, currentPath].flatMap((path) => {
    const text = readSecret(path);
    if (text === "") return [];
    keyFrom(path, text);
    return [text];
  });
}

function loadedKey(path: string): KeyObject {
  const text = readOrCreateSecret(path, newKeyText);
  try {
    return keyFrom(path, text);
  } catch {
    setAside(path);
    return keyFrom(path, readOrCreateSecret(path, newKeyText));
  }
}

/** Generates a new signing key. The current one becomes the previous one; the one before that is deleted. */
export function rotateSigningKey(dataDir: string): void {
  const { currentPath, previousPath } = keyPaths(dataDir);
  readOrCreateSecret(currentPath, newKeyText);
  renameSync(currentPath, previousPath);
  readOrCreateSecret(currentPath, newKeyText);
}

/** Deletes the previous key, which revokes all tokens signed with it. */
export function revokePreviousKey(dataDir: string): void {
  rmSync(keyPaths(dataDir).previousPath, { force: true });
}

function keyPaths(dataDir: string): { currentPath: string; previousPath: string } {
  const path = (name: string): string => join(dataDir, "secrets", name);
  return { currentPath: path("token-signing.key"), previousPath: path("token-signing.previous.key") };
}

/** A new random signing key in hexadecimal. */
export function newKeyText(): string {
  return randomBytes(KEY_BYTES).toString("hex");
}

/**
 * The signing key that a file or a row has.
 * @param place where it is, for the error
 * @throws AppError `storage` if it is no random key
 */
export function keyFrom(place: string, text: string): KeyObject {
  const bytes = /^(?:[0-9a-f]{2})+$/.test(text) ? Buffer.from(text, "hex") : Buffer.alloc(0);
  if (bytes.length < KEY_BYTES || isGuessable(bytes))
    throw new AppError(
      "storage",
      `${place} does not hold a key of at least ${KEY_BYTES} random bytes in hexadecimal`,
      {
        hint: "Delete it; a new key is created at the next start and all users must sign in again.",
      },
    );
  return createSecretKey(bytes);
}

/** Whether a key was typed or repeated: it is text, or has fewer distinct bytes than one random key in 10^9. */
function isGuessable(bytes: Buffer): boolean {
  return new Set(bytes).size < 20 || bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** A new random key for AES-128, which every alarm panel with encryption has: 32 hexadecimal digits in capitals. */
export function newAlarmPanelKeyText(): string {
  return randomBytes(ALARM_PANEL_KEY_BYTES).toString("hex").toUpperCase();
}

/**
 * The MQTT client id of this installation; two daemons must never share one.
 * @param onUnstored called with the reason if it cannot be read or stored: another one is then used for this run
 */
export function mqttClientId(dataDir: string, onUnstored: (reason: string) => void): string {
  const create = (): string => `santinela-${randomBytes(6).toString("hex")}`;
  try {
    return readOrCreateSecret(join(dataDir, "secrets", "mqtt-client-id"), create);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    onUnstored(error.message);
    return create();
  }
}

/** A unique name for tests at a shared broker. */
export function probeName(): string {
  return randomBytes(6).toString("hex");
}

/** A password that is easy to read aloud: 20 of 32 letters and digits, 100 bits. */
export function oneTimePassword(): string {
  const letters = "abcdefghjkmnpqrstuvwxyz123456789";
  return inGroups([...randomBytes(20)].map((byte) => letters[byte % letters.length]).join(""));
}

/** A one-time password as it was created, from one as a user types it: a phone capitalises, and dashes are easy to leave out. */
export function typedOneTimePassword(text: string): string {
  return inGroups(text.toLowerCase().replaceAll(/[\s\p{Dash}]/gu, ""));
}

function inGroups(text: string): string {
  return text.replaceAll(/(.{5})(?=.)/g, "$1-");
}

/**
 * Reads a secret, which is created atomically at first use: an empty file after a power cut would prevent every
 * start.
 */
function readOrCreateSecret(path: string, create: () => string): string {
  const present = readSecret(path);
  if (present !== "") return present;
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${create()}\n`, { mode: 0o600, flush: true });
    if (existsSync(path)) renameSync(draft, path);
    // If two processes start at once, one creates the file and the other reads it.
    else linkSync(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST")
      throw new AppError("cannot-create", `cannot write ${path}: ${(cause as Error).message}`, {
        hint: "Check that this user may write to the directory and that the disk is not full.",
        cause,
      });
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecret(path);
}

/** Reads a secret; empty if missing. Removes access by other users. */
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

/**
 * Creates a UUID of version 7.
 * @param wallMs milliseconds since 1970
 */
export function newKey(wallMs: number): string {
  return orderedUuid(wallMs, randomUUID());
}

/**
 * A UUID of version 7 (RFC 9562, 5.7). The time comes first, so that new keys are adjacent in an index and a group commit
 * writes one page of it. Random keys would touch a page each: more fsync work and more wear of an SD card.
 * @param wallMs milliseconds since 1970; a clock step puts keys out of order, but they stay unique
 * @param random a UUID of version 4, whose 74 random bits are in the same places
 */
export function orderedUuid(wallMs: number, random: string): string {
  const time = Math.max(0, Math.floor(wallMs)).toString(16).padStart(12, "0").slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
