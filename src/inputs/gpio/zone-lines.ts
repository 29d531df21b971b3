import type { Zone } from "../../domain/zone.ts";
import { levelOf } from "./line-bindings.ts";

/** Whether a zone needs a pull resistor that the character device sets. */
export function hasBias({ input, gate }: Zone): boolean {
  return (input.source === "gpio" && input.bias !== "as-is") || (gate.by === "gpio" && gate.bias !== "as-is");
}

/** The lines that a zone reads: its contact and its key switch. */
export function gpioLinesOf({ input, gate }: Zone): number[] {
  return [...(input.source === "gpio" ? [input.gpio] : []), ...(gate.by === "gpio" ? [gate.gpio] : [])];
}

/** Initial levels of simulated lines: every contact normal, every key switch armed. */
export function normalLevels(zones: readonly Zone[]): (readonly [line: number, level: 0 | 1])[] {
  const contacts = zones.flatMap(({ input }) =>
    input.source === "gpio" ? [[input.gpio, levelOf(input, "normal")] as const] : [],
  );
  const keys = zones.flatMap(({ gate }) =>
    gate.by === "gpio" ? [[gate.gpio, levelOf(gate, "open")] as const] : [],
  );
  return [...keys, ...contacts];
}
