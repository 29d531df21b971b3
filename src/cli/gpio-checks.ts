import { accessSync, constants } from "node:fs";
import type { Config } from "../config/config.ts";
import { simulatedText } from "../config/line-checks.ts";
import { AppError } from "../domain/errors.ts";
import { chipSelectorOf } from "../domain/gpio-chip.ts";
import { findChips, type ChipList, type FoundChip } from "../inputs/gpio/chip-list.ts";
import { chipDevices } from "../inputs/gpio/chip-devices.ts";
import { chosenChip } from "../inputs/gpio/chips.ts";
import { gpioLinesOf } from "../inputs/gpio/line-bindings.ts";
import { error, failed, ok, warning, type CheckResult } from "./check-result.ts";
import { counted } from "../domain/headline-text.ts";

/** Checks that each GPIO chip that zones use is there and may be opened. */
export async function gpioChecks({ zones, gpio }: Pick<Config, "zones" | "gpio">): Promise<CheckResult[]> {
  const used = new Map<string | undefined, string[]>();
  for (const zone of zones)
    for (const { chip } of gpioLinesOf(zone)) used.set(chip, [...(used.get(chip) ?? []), zone.id]);
  if (used.size === 0) return [];
  const check = "GPIO";
  if (gpio.backend === "simulated")
    return [
      warning(check, simulatedText([...used.values()].flat()), "Remove gpio.backend to read the lines."),
    ];
  const paths = chipDevices();
  if (paths.length === 0)
    return [
      error(
        check,
        `this machine has no GPIO chip, but zones use GPIO: ${[...used.values()].flat().length}`,
        "The kernel's log (dmesg) shows whether its GPIO driver was loaded.",
      ),
    ];
  const closed = paths.filter((path) => !canUse(path));
  if (closed.length > 0)
    return [
      warning(
        check,
        `permission denied for ${closed.join(", ")}`,
        "Add the service's user to the group gpio: usermod -aG gpio santinela",
      ),
    ];
  try {
    const found = await findChips();
    return [...used].map(([chip, ids]) => chipCheck(found, gpio, chip, ids));
  } catch (cause) {
    if (cause instanceof AppError) return [failed(check, cause)];
    throw cause;
  }
}

function chipCheck(
  { chips, failures }: ChipList<FoundChip>,
  gpio: Config["gpio"],
  name: string | undefined,
  ids: readonly string[],
): CheckResult {
  const check = name === undefined ? "GPIO" : `GPIO ${name}`;
  const zoneIds = [...new Set(ids)];
  try {
    const { path, label } = chosenChip(chips, chipSelectorOf(gpio, name));
    return ok(check, `${path} (${label}), ${counted(zoneIds.length, "zone")}`);
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    const { message, hint } = failures[0] ?? cause;
    return error(check, `${message}; not read: ${zoneIds.join(", ")}`, hint);
  }
}

function canUse(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
