import type { Config } from "../config/config.ts";
import { chipNames, chipSelectorOf } from "../domain/gpio-chip.ts";
import type { Zone } from "../domain/zone.ts";
import { listChips, type ListedLine } from "../inputs/gpio/chip-list.ts";
import { chosenOrNone } from "../inputs/gpio/chips.ts";
import { contactAt } from "../inputs/gpio/line-bindings.ts";
import type { JsonOption } from "./command-group.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** Lists GPIO chips and their lines with holder, level and zone. */
export async function gpioList(
  { zones, gpio }: Config,
  { stdout, stderr }: Terminal,
  { all = false, json }: JsonOption & { readonly all?: boolean },
): Promise<void> {
  const { chips, failures } = await listChips();
  const [failure] = failures;
  if (failure && chips.length === 0) throw failure;
  for (const { message, hint } of failures) stderr.write(`${message}. ${hint}\n`);
  if (json) return void stdout.write(jsonText(chips));
  if (chips.length === 0) stdout.write("No GPIO chips on this machine, or no permission to see them.\n");
  const named = chipNames(gpio).map((name) => ({
    name,
    chip: chosenOrNone(chips, chipSelectorOf(gpio, name)),
  }));
  for (const chip of chips) {
    const names = named.filter((one) => one.chip === chip).map(({ name }) => name);
    const notes = names.map((name) => (name === undefined ? "the chip that zones use" : `chip ${name}`));
    const parts = [chip.path, chip.label, `${chip.lines} lines`, ...chip.devices.slice(-1)];
    if (names.length > 0) parts.push(`(${notes.join(", ")})`);
    stdout.write(`${parts.join("  ")}\n`);
    for (const line of chip.list) {
      const zone = zoneOn(zones, line.number, names);
      if (all || zone || line.name !== "" || line.holder !== "") stdout.write(`${lineText(line, zone)}\n`);
    }
  }
}

function zoneOn(
  zones: readonly Zone[],
  line: number,
  chips: readonly (string | undefined)[],
): Zone | undefined {
  return zones.find(
    ({ input }) => input.source === "gpio" && input.gpio === line && chips.includes(input.chip),
  );
}

function lineText({ number, name, holder, direction, level }: ListedLine, zone: Zone | undefined): string {
  const held = holder === "" ? "free" : `held by ${holder}`;
  const parts = [
    String(number).padStart(4),
    name.padEnd(16),
    direction.padEnd(3),
    level === null ? "-" : String(level),
    held,
  ];
  if (zone?.input.source === "gpio") {
    const contact = level === null ? "" : `, ${contactAt(zone.input, level)}`;
    parts.push(`zone ${zone.id} (${zone.input.contact}${contact})`);
  }
  return parts.join("  ").trimEnd();
}
