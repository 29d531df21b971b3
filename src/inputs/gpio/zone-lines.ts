import type { LineInput } from "../../domain/gpio-chip.ts";
import type { Zone } from "../../domain/zone.ts";
import type { SimulatedLines } from "./gpio-port.ts";
import { levelOf } from "./line-bindings.ts";

/** The lines that a zone reads: its contact and its key switch. */
export function gpioLinesOf({ input, gate }: Zone): LineInput[] {
  return [...(input.source === "gpio" ? [input] : []), ...(gate.by === "gpio" ? [gate] : [])];
}

/** Gives simulated lines that have no level their initial one: every contact normal, every key switch armed. */
export function initLevels(lines: SimulatedLines, zones: readonly Zone[]): void {
  const contacts = zones.flatMap(({ input }) => (input.source === "gpio" ? [input] : []));
  const keys = zones.flatMap(({ gate }) => (gate.by === "gpio" ? [gate] : []));
  for (const line of contacts) lines.chip(line.chip).know([[line.gpio, levelOf(line, "normal")]]);
  for (const line of keys) lines.chip(line.chip).know([[line.gpio, levelOf(line, "open")]]);
}
