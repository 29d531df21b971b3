import { spawn } from "node:child_process";
import { AppError } from "../../domain/errors.ts";
import type { ChipSelector } from "../../domain/gpio-chip.ts";
import { CHARACTER_DEVICE_PERL } from "../../generated/character-device.ts";
import { chipDevices, kernelDevicesOf } from "./chip-devices.ts";
import { chosenChip, type GpioChip } from "./chips.ts";

/** A chip with a character device. */
export interface FoundChip extends GpioChip {
  /** Device file, such as /dev/gpiochip0. */
  readonly path: string;
}

/** A chip with all its lines, as its character device lists them. */
export interface ListedChip extends FoundChip {
  readonly list: readonly ListedLine[];
}

export interface ListedLine {
  /** Number on its chip: the BCM number on a Raspberry Pi. */
  readonly number: number;
  readonly name: string;
  /** The consumer of the line; empty when it is free. */
  readonly holder: string;
  readonly direction: "in" | "out";
  /** Level of a free input; null for other lines, which cannot be read without requesting them. */
  readonly level: 0 | 1 | null;
}

/** What asking several chips gave: one that fails does not hide the others. */
export interface ChipList<C extends FoundChip> {
  readonly chips: readonly C[];
  /** `unavailable`, one for each chip that is there and cannot be used. */
  readonly failures: readonly AppError[];
}

const MISSING_CODES: readonly string[] = ["ENODEV", "ENXIO", "ENOENT"];
/** Asking the kernel for its chips takes milliseconds, a level on a slow bus a hundred; this only ends what hangs. */
const LIMIT_MS = { chips: 5_000, list: 10_000 } as const;

/**
 * The chip that has the lines.
 * @param folder the directory of device files
 * @throws AppError `unavailable` when no chip, or more than one, fits
 */
export async function findChip(selector: ChipSelector, folder?: string): Promise<FoundChip> {
  const { chips, failures } = await findChips(folder);
  try {
    return chosenChip(chips, selector);
  } catch (error) {
    // The chip that cannot be used may be the one that is missing.
    throw failures[0] ?? error;
  }
}

/**
 * The GPIO chips of this machine, without their lines: the levels of an expander whose bus hangs would hold up the others.
 * @throws AppError `unavailable` when they cannot be found
 */
export async function findChips(folder?: string): Promise<ChipList<FoundChip>> {
  const { rows, failures } = await rowsOf("chips", chipDevices(folder));
  return { chips: rows.filter(([what]) => what === "chip").map(chipOf), failures };
}

/**
 * The GPIO chips of this machine with their lines.
 * @throws AppError `unavailable` when they cannot be listed
 */
export async function listChips(folder?: string): Promise<ChipList<ListedChip>> {
  const { rows, failures } = await rowsOf("list", chipDevices(folder));
  const chips = rows
    .filter(([what]) => what === "chip")
    .map((row) => ({
      ...chipOf(row),
      list: rows.filter(([what, of]) => what === "line" && of === row[1]).map(lineOf),
    }));
  return { chips, failures };
}

type Row = readonly string[];

function chipOf([, path = "", label = "", lines = ""]: Row): FoundChip {
  return { path, label, lines: Number(lines), devices: kernelDevicesOf(path) };
}

function lineOf([, , number, name = "", holder = "", direction, level]: Row): ListedLine {
  return {
    number: Number(number),
    name,
    holder,
    direction: direction === "out" ? "out" : "in",
    level: level === "0" ? 0 : level === "1" ? 1 : null,
  };
}

/** Asks all chips at once; when one hangs, it is left out and those behind it are asked again. */
async function rowsOf(
  mode: keyof typeof LIMIT_MS,
  devices: readonly string[],
): Promise<{ rows: Row[]; failures: AppError[] }> {
  const rows: Row[] = [];
  const failures: AppError[] = [];
  for (let waiting = devices; waiting.length > 0;) {
    const answer = (await outputOf(mode, waiting)).split("\n").map((line) => line.split("\t"));
    const answered = new Set(
      answer.filter(([what]) => what === "end" || what === "error").map(([, path]) => path),
    );
    rows.push(...answer.filter(([, path]) => answered.has(path)));
    const [silent, ...others] = waiting.filter((path) => !answered.has(path));
    if (silent !== undefined) failures.push(silentChip(silent));
    waiting = others;
  }
  const refused = rows.filter(([what, , code = ""]) => what === "error" && !MISSING_CODES.includes(code));
  return { rows, failures: [...refused.map(refusedChip), ...failures] };
}

function refusedChip([, path = "", code = ""]: Row): AppError {
  return new AppError("unavailable", `the GPIO chip ${path} cannot be opened: ${code}`, {
    hint: "Add the user to the group gpio; under systemd allow the device in the unit (DeviceAllow=char-gpiochip rw).",
  });
}

function silentChip(path: string): AppError {
  return new AppError("unavailable", `the GPIO chip ${path} does not respond`, {
    hint: "Check its supply and the wires of its bus.",
  });
}

/**
 * What the program prints within its limit. It is not waited for after that: a program that waits in the kernel does not
 * end even when it is killed.
 */
function outputOf(mode: keyof typeof LIMIT_MS, devices: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const program = spawn("perl", ["-e", CHARACTER_DEVICE_PERL, mode, ...devices], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const limit = AbortSignal.timeout(LIMIT_MS[mode]);
    let output = "";
    const end = (): void => {
      limit.removeEventListener("abort", onLimit);
      // What came after the last line break is not a whole line.
      resolve(output.slice(0, output.lastIndexOf("\n") + 1));
    };
    const onLimit = (): void => {
      program.kill("SIGKILL");
      program.stdout.destroy();
      program.unref();
      end();
    };
    limit.addEventListener("abort", onLimit, { once: true });
    program.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
    program.on("close", end);
    program.on("error", (cause: NodeJS.ErrnoException) => {
      limit.removeEventListener("abort", onLimit);
      reject(
        new AppError("unavailable", `the program that reads GPIO chips cannot be started: ${cause.code}`, {
          hint: "Install Perl (apt install perl-base).",
          cause,
        }),
      );
    });
  });
}
