import { createHash } from "node:crypto";
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { readJson, writeDurably } from "../store/durable-files.ts";
import { textIfThere } from "./files-if-there.ts";
import { SessionsToEnd } from "./sessions-to-end.ts";

/** What distinguishes a machine, as hashes: systemd asks programs not to show the machine-id (machine-id(5)). */
export interface MachineIdentity {
  /** Of the serial number of the processor; null if the machine reports none. */
  readonly serial: string | null;
  /** Of the machine-id; null if it is missing, or not kept over a boot. */
  readonly machineId: string | null;
}

/** Both are the same; the package's service sees only processes in /proc (ProcSubset=pid), and some containers no firmware in /sys. */
const SERIALS: readonly string[] = [
  "/sys/firmware/devicetree/base/serial-number",
  "/proc/device-tree/serial-number",
];
const MACHINE_ID = "/etc/machine-id";

/** The machine on which the data was created. */
const KNOWN_FILE = "machine.json";
/** Exists from a start on an unknown machine until a person has confirmed it. */
const UNDECIDED_FILE = "machine-undecided.json";
/** Keys that a copy of the card has as well. They are created again when they are missing. */
const KEYS: readonly string[] = [
  "secrets/token-signing.key",
  "secrets/token-signing.previous.key",
  "secrets/ca.key",
  "secrets/server.key",
  "tls/ca.crt",
  "tls/server.crt",
];
const CLIENT_ID = "secrets/mqtt-client-id";
const FORMER_CLIENT_ID = "secrets/mqtt-client-id.former";

/**
 * Reads the identity of the machine.
 * @param root directory before every path; empty for this machine
 */
export function machineIdentity(root = ""): MachineIdentity {
  return {
    serial: hashOf(SERIALS.map((path) => textIfThere(`${root}${path}`)).find(Boolean)),
    machineId: isKept(`${root}${MACHINE_ID}`) ? hashOf(textIfThere(`${root}${MACHINE_ID}`)) : null,
  };
}

/** With a read-only root, systemd mounts a new machine-id over the file at each boot. */
function isKept(path: string): boolean {
  try {
    return statSync(path).dev === statSync(join(path, "..")).dev;
  } catch {
    return false;
  }
}

/** Whether both are the same machine. A serial number decides; the machine-id is part of the card. */
function isSame(known: MachineIdentity, present: MachineIdentity): boolean {
  for (const name of ["serial", "machineId"] as const)
    if (known[name] !== null && present[name] !== null) return known[name] === present[name];
  return true;
}

/**
 * Compares this machine with the one on which the data was created. On another one, all keys are removed once, and the
 * machine is undecided until it is confirmed.
 * @throws the error of the file system if the files cannot be written
 * @param dataDir an existing data directory that no other daemon uses
 * @returns whether the machine is undecided
 */
export function checkMachine(dataDir: string, present = machineIdentity()): boolean {
  const known = identityIn(join(dataDir, KNOWN_FILE));
  if (!known) {
    remember(dataDir, present);
    return isMachineUndecided(dataDir);
  }
  if (isSame(known, present)) {
    // A card that is back in its own machine.
    if (isMachineUndecided(dataDir)) acceptMachine(dataDir, present);
    else completeIdentity(dataDir, known, present);
    return false;
  }
  const seen = identityIn(join(dataDir, UNDECIDED_FILE));
  if (seen && isSame(seen, present)) return true;
  // First the decision, then the keys: after a power cut in between, the next start removes them.
  const marker = join(dataDir, UNDECIDED_FILE);
  const client = join(dataDir, CLIENT_ID);
  const former = join(dataDir, FORMER_CLIENT_ID);
  writeDurably(marker, "{}\n");
  for (const key of KEYS) rmSync(join(dataDir, key), { force: true });
  if (existsSync(client) && !existsSync(former)) renameSync(client, former);
  else rmSync(client, { force: true });
  writeDurably(marker, `${JSON.stringify(present)}\n`);
  return true;
}

/** Remembers what could not be read before, such as a serial number: without it, a copied card would have the same identity. */
function completeIdentity(dataDir: string, known: MachineIdentity, present: MachineIdentity): void {
  const serial = known.serial ?? present.serial;
  const machineId = known.machineId ?? present.machineId;
  if (serial !== known.serial || machineId !== known.machineId) remember(dataDir, { serial, machineId });
}

/** Whether a person has still to say if this machine replaces the one on which the data was created. */
export function isMachineUndecided(dataDir: string): boolean {
  return existsSync(join(dataDir, UNDECIDED_FILE));
}

/** @throws AppError `conflict` if the machine is known */
export function assertUndecided(dataDir: string): void {
  if (isMachineUndecided(dataDir)) return;
  throw new AppError("conflict", "the data of this site was created on this machine; nothing to confirm");
}

/** Remembers this machine as the one of the site, and restores the former MQTT client id, for which a broker may have kept messages. */
export function acceptMachine(dataDir: string, present = machineIdentity()): void {
  const former = join(dataDir, FORMER_CLIENT_ID);
  // First the machine: after a power cut the next start knows it, and completes the rest. An undecided machine with the former
  // client id would disconnect the original one from its broker.
  remember(dataDir, present);
  if (existsSync(former)) {
    endUndecidedSession(dataDir);
    renameSync(former, join(dataDir, CLIENT_ID));
  }
  rmSync(join(dataDir, UNDECIDED_FILE), { force: true });
}

/** Ends, after the next start, the session of the client id that an undecided machine has: no daemon will use it again. */
export function endUndecidedSession(dataDir: string): void {
  if (isMachineUndecided(dataDir))
    new SessionsToEnd(dataDir).add(textIfThere(join(dataDir, CLIENT_ID)) ?? "");
}

/** A machine without any identity, such as a container, is not remembered. */
function remember(dataDir: string, present: MachineIdentity): void {
  if (present.serial === null && present.machineId === null)
    rmSync(join(dataDir, KNOWN_FILE), { force: true });
  else writeDurably(join(dataDir, KNOWN_FILE), `${JSON.stringify(present)}\n`);
}

/** @returns undefined if the file is missing or has no identity */
function identityIn(path: string): MachineIdentity | undefined {
  const { serial, machineId } = (readJson(path) ?? {}) as Partial<Record<keyof MachineIdentity, unknown>>;
  if (serial === undefined && machineId === undefined) return undefined;
  const hash = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return { serial: hash(serial), machineId: hash(machineId) };
}

function hashOf(text: string | undefined): string | null {
  if (text === undefined || text === "" || text === "uninitialized") return null;
  return createHash("sha256").update(`santinela ${text}`).digest("hex");
}
