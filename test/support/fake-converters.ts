import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** As of an ADS1115 that measures up to 4.096 V: millivolts for each step. */
const SCALE = 0.125;
const SUPPLY_MV = 3300;
const PULL_UP_OHMS = 2200;

/**
 * The files of converters in /sys, in a directory: loops with a pull-up resistor of 2.2 kΩ at 3.3 V. It cannot show how a
 * driver or a bus behaves.
 */
export class FakeConverters {
  readonly root = mkdtempSync(join(tmpdir(), "santinela-iio-"));
  readonly #folders = new Map<string, string>();

  constructor() {
    mkdirSync(join(this.root, "sys/bus/iio/devices"), { recursive: true });
  }

  /** @param device such as `1-0048`. @param number of its device, which the kernel assigns */
  plug(device: string, name: string, number: number, ohms: readonly number[]): void {
    const folder = join(this.root, "sys/devices/i2c-1", device, `iio:device${number}`);
    mkdirSync(folder, { recursive: true });
    this.#folders.set(device, folder);
    writeFileSync(join(folder, "name"), `${name}\n`);
    writeFileSync(join(folder, "in_voltage_scale"), `${SCALE}\n`);
    for (const [channel, value] of ohms.entries()) this.measure(device, channel, value);
    symlinkSync(folder, join(this.root, "sys/bus/iio/devices", `iio:device${number}`));
  }

  unplug(device: string): void {
    const folder = this.#folderOf(device);
    unlinkSync(join(this.root, "sys/bus/iio/devices", folder.slice(folder.lastIndexOf("/") + 1)));
    rmSync(folder, { recursive: true });
  }

  /** The resistance of a loop; Infinity for a cut wire. */
  measure(device: string, channel: number, ohms: number): void {
    const mv = ohms === Infinity ? SUPPLY_MV : (SUPPLY_MV * ohms) / (ohms + PULL_UP_OHMS);
    this.answer(device, channel, `${Math.round(mv / SCALE)}\n`);
  }

  /** What the file of a loop holds. */
  answer(device: string, channel: number, text: string): void {
    const path = this.#raw(device, channel);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }

  /**
   * Readings of a loop do not return.
   * @returns ends the one under way with an old value; later ones read what `measure` has set
   */
  hang(device: string, channel: number): () => Promise<void> {
    const path = this.#raw(device, channel);
    const pipe = join(this.root, "pipe");
    execFileSync("mkfifo", [pipe]);
    renameSync(pipe, path);
    return async () => {
      const writer = await open(path, "r+");
      this.measure(device, channel, PULL_UP_OHMS);
      await writer.write("0\n");
      await writer.close();
    };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #raw(device: string, channel: number): string {
    return join(this.#folderOf(device), `in_voltage${channel}_raw`);
  }

  #folderOf(device: string): string {
    const folder = this.#folders.get(device);
    if (folder === undefined) throw new Error(`no converter ${device}`);
    return folder;
  }
}
