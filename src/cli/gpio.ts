import type { Config } from "../config/config.ts";
import type { Zone } from "../domain/zone.ts";
import { listChips, type ListedChip, type ListedLine } from "../inputs/gpio/character-device.ts";
import { chosenChip } from "../inputs/gpio/chips.ts";
import { contactAt } from "../inputs/gpio/line-bindings.ts";
import type { JsonOption } from "./command-group.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** Lists GPIO chips and their lines with holder, level and zone. */
export async function gpioList(
  { zones, gpio }: Config,
  { stdout }: Terminal,
  { all = false, json }: JsonOption & { readonly all?: boolean },
): Promise<void> {
  const chips = await listChips();
  if (json) {
    stdout.write(jsonText(chips));
    return;
  }
  if (chips.length === 0) stdout.write("No GPIO chips on this machine, or no permission to see them.\n");
  const zoneChip = chosenOrNone(chips, gpio.chip);
  for (const chip of chips) {
    const note = chip === zoneChip ? "  (the chip that zones use)" : "";
    stdout.write(`${chip.path}  ${chip.label}  ${chip.lines} lines${note}\n`);
    for (const line of chip.list) {
      const zone = chip === zoneChip ? zoneOn(zones, line.number) : undefined;
      if (all || zone || line.name !== "" || line.holder !== "") stdout.write(`${lineText(line, zone)}\n`);
    }
  }
}

function chosenOrNone(chips: readonly ListedChip[], label: string | undefined): ListedChip | undefined {
  try {
    return chosenChip(chips, label);
  } catch {
    return undefined;
  }
}

function zoneOn(zones: readonly Zone[], line: number): Zone | undefined {
  return zones.find(({ input }) => input.source === "gpio" && input.gpio === line);
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
