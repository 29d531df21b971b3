import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { chipSelectorOf, HEADER_LABELS, lineName, type ChipSelector } from "../domain/gpio-chip.ts";
import { canonical } from "../domain/zone-changes.ts";
import type { Configuration, Gpio, GpioInput } from "../generated/types.ts";
import type { Report } from "./problems.ts";
import { hasOverlap, loopOf } from "../domain/loop.ts";
import { ADC_INPUT_DEFAULTS } from "../generated/defaults.ts";

/** Who uses a line, and how. */
interface LineUse {
  readonly by: "input" | "gate" | "output";
  /** Its zone or output. */
  readonly user: string;
  readonly line: Pick<GpioInput, "gpio" | "chip">;
  /** Path of the line in the file. */
  readonly path: readonly (string | number)[];
  /** Equal for two uses that read in the same way. */
  readonly settings: string;
}

/**
 * Errors in the lines of zones, key switches and outputs: unknown chips and lines with two uses. Two names of one chip are
 * one chip. The key switch of several zones is one use.
 */
export function reportLines(value: Configuration, report: Report): void {
  const { gpio = {} } = value;
  const uses = new Map<string, LineUse>();
  for (const use of usesOf(value)) {
    const { line, path, by } = use;
    const selector = chipSelectorOf(gpio, line.chip);
    if (!selector) {
      report([...path, "chip"], unknownChip(gpio, line.chip ?? "", by));
      continue;
    }
    const place = `${chipKey(selector)} ${line.gpio}`;
    const problem = problemOf(use, uses.get(place));
    if (problem !== undefined) report([...path, "gpio"], problem);
    else uses.set(place, use);
  }
}

/** Warns of zones that nothing opens, because their lines are simulated. */
export function lineWarnings(value: Configuration): string[] {
  const ids = usesOf(value).flatMap(({ by, user }) => (by === "output" ? [] : [user]));
  return value.gpio?.backend === "simulated" && ids.length > 0 ? [simulatedText(ids)] : [];
}

/** @param zoneIds zones that read a GPIO line */
export function simulatedText(zoneIds: readonly string[]): string {
  const zones = [...new Set(zoneIds)].join(", ");
  return `gpio.backend is simulated: no GPIO line is read, so contacts and key switches change nothing (${zones})`;
}

/** All lines, the inputs of zones first: a gate or an output is at fault before a zone. */
function usesOf({ zones = [], outputs = [] }: Configuration): LineUse[] {
  const ofZones = (by: "input" | "gate"): LineUse[] =>
    zones.flatMap((zone, index) => {
      const line = zone[by];
      if (typeof line !== "object" || !("gpio" in line)) return [];
      const { contact = "nc", bias = "as-is" } = line;
      return [{ by, user: zone.id, line, path: ["zones", index, by], settings: `${contact} ${bias}` }];
    });
  const ofOutputs = outputs.flatMap(({ name, gpio, chip }, index): LineUse[] => {
    const line = gpio === undefined ? undefined : { gpio, ...(chip === undefined ? {} : { chip }) };
    return line ? [{ by: "output", user: name, line, path: ["outputs", index], settings: "" }] : [];
  });
  return [...ofZones("input"), ...ofZones("gate"), ...ofOutputs];
}

function problemOf({ by, user, line, settings }: LineUse, other: LineUse | undefined): string | undefined {
  if (!other) return undefined;
  const what = `line ${lineName(line)}`;
  if (by === "output" && other.by === "output")
    return `${what} is also used by output ${other.user}. Use another line`;
  if (by === "output" && other.by === "gate")
    return `${what} is used by output ${user} and by the gate of zone ${other.user}. Use another line`;
  if (by === "output") return `${what} is used by output ${user} and by zone ${other.user}. Use another line`;
  if (by === "input") return `${what} is used by two zones, ${other.user} and ${user}`;
  if (other.by === "input") return `${what} is the input of zone ${other.user}; a gate needs a separate line`;
  if (other.settings === settings) return undefined;
  return `${what} is also the gate of zone ${other.user}, with a different contact or bias`;
}

function unknownChip({ chips = {} }: Gpio, name: string, by: LineUse["by"]): string {
  const known = Object.keys(chips).join(", ") || "none";
  const what = `unknown chip ${JSON.stringify(name)}. Known in gpio.chips: ${known}`;
  return by === "output"
    ? `${what}. Without chip, the output uses the chip of gpio.chip`
    : `${what}. Without chip, the zone uses the chip of gpio.chip`;
}

/**
 * The chip as text, equal for two names of one chip as far as the file and the links of this machine show it. Of two names
 * that only the kernel can compare, such as a label and a device file, the second line cannot be opened: it is in use.
 */
function chipKey({ name: _name, path, ...found }: ChipSelector): string {
  const { label, ...others } = found;
  const isHeader = label !== undefined && HEADER_LABELS.includes(label);
  const rest = isHeader ? others : found;
  return canonical(path === undefined ? rest : { ...rest, path: realPath(path) });
}

/** The device file itself; the path as it is without that file, as on another machine. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Two equal readings are needed: with a longer interval a signal of 400 ms may have only one (EN 50131-1, 8.3.1). */
const EVERY_MS_MAX = 200;

/** Errors in the loops with end-of-line resistors. */
export function reportLoops({ zones = [] }: Configuration, report: Report): void {
  const zoneOfInput = new Map<string, string>();
  for (const [index, { id, input, tamper, allowSlow }] of zones.entries()) {
    if (!("adc" in input)) continue;
    const path = ["zones", index, "input"];
    const { adc, channel, eol, everyMs = ADC_INPUT_DEFAULTS.everyMs } = input;
    const place = `${adc} ${channel}`;
    const other = zoneOfInput.get(place);
    if (other !== undefined)
      report([...path, "channel"], `input ${channel} of ${adc} is used by two zones, ${other} and ${id}`);
    zoneOfInput.set(place, id);
    const loop = loopOf(eol);
    if (hasOverlap(loop))
      report(
        [...path, "eol"],
        `normal (${loop.normalOhms} Ω) and alarm (${loop.alarmOhms} Ω) overlap with a tolerance of ${loop.tolerance * 100} %. Use resistors that differ more, or a smaller tolerancePercent`,
      );
    if (everyMs > EVERY_MS_MAX && allowSlow !== true)
      report(
        [...path, "everyMs"],
        `EN 50131 requires signals of 400 ms to be processed. Use at most ${EVERY_MS_MAX}, or allowSlow: true to allow a slower zone`,
      );
    if (tamper)
      report(
        ["zones", index, "tamper"],
        "the loop of the zone reports its tamper: cut and short circuit. Remove tamper",
      );
  }
}
