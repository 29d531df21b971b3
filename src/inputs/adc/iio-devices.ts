import { open, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../domain/errors.ts";

/** Devices of the kernel's subsystem for converters (Industrial I/O). */
const DEVICES = "/sys/bus/iio/devices";

/** A converter. */
export interface IioDevice {
  /** Its directory below /sys. */
  readonly folder: string;
  /** Everything that it may be called by: name of the driver, label, kernel device. */
  readonly names: readonly string[];
}

/**
 * Finds a converter. Never by its number, which changes with the order of detection.
 * @param wanted its name, label or kernel device
 * @param root directory before every path; empty for a real machine
 * @throws AppError `unavailable` when no converter, or more than one, is called so
 */
export async function findDevice(wanted: string, root: string): Promise<IioDevice> {
  const devices = await listDevices(root);
  const matching = devices.filter(({ names }) => names.includes(wanted));
  const [device] = matching;
  if (!device) {
    const found = devices.map(({ names }) => names.join(" = ")).join(", ") || "none";
    throw new AppError("unavailable", `no converter is called ${wanted} (found: ${found})`, {
      hint: "Enable its driver (/usr/share/doc/santinela/docs/wiring.md). A converter that appears is used within seconds, without a restart.",
    });
  }
  if (matching.length > 1)
    throw new AppError("unavailable", `${matching.length} converters are called ${wanted}`, {
      hint: `Use the kernel device: ${matching.map(({ names }) => names.at(-1)).join(" or ")}.`,
    });
  return device;
}

/** All converters. @returns none if the kernel has no support for them */
async function listDevices(root: string): Promise<IioDevice[]> {
  const names = await readdir(`${root}${DEVICES}`).catch(() => []);
  const devices = names.filter((name) => name.startsWith("iio:device"));
  return Promise.all(
    devices.map(async (name) => {
      const folder = join(`${root}${DEVICES}`, name);
      return { folder, names: await namesOf(folder) };
    }),
  );
}

/** None for a converter that is not there. */
async function namesOf(folder: string): Promise<string[]> {
  const parent = await realpath(folder).then(
    (path) => basename(dirname(path)),
    () => "",
  );
  const texts = await Promise.all(["name", "label"].map((file) => textOf(join(folder, file))));
  return [...new Set([...texts, parent])].filter((text) => text !== "");
}

/** Voltage at an input of a converter. */
export interface Channel {
  /** @returns millivolts. @throws the kernel's error, or an AppError for a file that holds no number */
  read(): Promise<number>;
}

/**
 * An input of a converter.
 * @throws AppError `unavailable` when the converter does not have it, or another one has got its number since it was found
 */
export async function openChannel({ folder, names }: IioDevice, channel: number): Promise<Channel> {
  const found = await namesOf(folder);
  if (found.join() !== names.join())
    throw new AppError("unavailable", `${folder} is no longer the converter ${names.join(" = ")}`, {
      hint: "It was removed, or has another number now. It is searched for automatically.",
    });
  const raw = join(folder, `in_voltage${channel}_raw`);
  // One for all channels if they have the same: Documentation/ABI/testing/sysfs-bus-iio.
  const numberOf = async (what: string): Promise<number | undefined> =>
    (await optionalNumber(join(folder, `in_voltage${channel}_${what}`))) ??
    optionalNumber(join(folder, `in_voltage_${what}`));
  const scale = await numberOf("scale");
  if (scale === undefined)
    throw new AppError("unavailable", `the converter ${names.join(" = ")} has no input ${channel}`, {
      hint: `ls ${folder} shows in_voltage<input>_raw for each input.`,
    });
  const offset = (await numberOf("offset")) ?? 0;
  return { read: async () => ((await numberIn(raw)) + offset) * scale };
}

async function optionalNumber(path: string): Promise<number | undefined> {
  return numberIn(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

async function numberIn(path: string): Promise<number> {
  const text = await lineIn(path);
  const value = text === "" ? NaN : Number(text);
  if (!Number.isFinite(value))
    throw new AppError("unavailable", `${path} holds ${JSON.stringify(text.slice(0, 40))}, not a number`, {
      hint: "Check the converter's driver (dmesg) and its supply.",
    });
  return value;
}

async function textOf(path: string): Promise<string> {
  return lineIn(path).catch(() => "");
}

/** Longer than any number or name of the kernel. */
const LINE_BYTES = 128;

/** One bounded read, as the kernel gives a value of /sys in one piece. */
async function lineIn(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LINE_BYTES), 0, LINE_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead).replaceAll("\0", "").trim();
  } finally {
    await file.close();
  }
}
