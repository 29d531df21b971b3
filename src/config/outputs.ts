import type { Output } from "../domain/output.ts";
import { OUTPUT_DEFAULTS } from "../generated/defaults.ts";
import type { Configuration, Output as OutputOptions } from "../generated/types.ts";
import type { Report } from "./problems.ts";

/** A short loss of the link, or a door that is open for a moment, does not switch an output, milliseconds. */
const DELAY_MS = 60_000;

/** Resolves the outputs with their defaults; the configuration is valid. */
export function outputsOf({ outputs = [] }: Configuration): Output[] {
  return outputs.map((options) => ({
    name: options.name,
    reason: options.on,
    kinds: options.kinds ?? null,
    target: targetOf(options),
    pulseMs: options.pulseS === undefined ? null : options.pulseS * 1000,
    delayMs: options.on === "alarm" ? 0 : options.afterS === undefined ? DELAY_MS : options.afterS * 1000,
    isInverted: options.inverted ?? OUTPUT_DEFAULTS.inverted,
  }));
}

function targetOf({ gpio, chip, active, mqtt = "", payloads }: OutputOptions): Output["target"] {
  if (gpio === undefined)
    return { by: "mqtt", topic: mqtt, on: payloads?.on ?? "ON", off: payloads?.off ?? "OFF" };
  return { by: "gpio", gpio, chip, active: (active ?? OUTPUT_DEFAULTS.active) === "high" ? 1 : 0 };
}

/** Contradictory options and reasons that cannot occur; `reportLines` has the lines. */
export function reportOutputs(value: Configuration, report: Report): void {
  const { outputs = [], upstream, mqtt } = value;
  const names = new Set<string>();
  for (const [index, output] of outputs.entries()) {
    const problem = (option: string, message: string): void => report(["outputs", index, option], message);
    if (names.has(output.name)) problem("name", `duplicate output ${output.name}`);
    names.add(output.name);
    if ((output.gpio === undefined) === (output.mqtt === undefined))
      report(["outputs", index], "an output needs exactly one of gpio: <BCM number> or mqtt: <topic>");
    else if (output.gpio === undefined) reportTopic(output, mqtt, problem);
    else if (output.payloads) problem("payloads", "payloads belong to mqtt. Use active");
    if (output.on === "link-lost" && !upstream)
      problem("on", "link-lost needs a dispatch centre. Add upstream, or remove the output");
    if (output.on === "alarm" && output.afterS !== undefined)
      problem("afterS", "an alarm has no delay. Use entryDelayS of its zone, or remove afterS");
    if (output.kinds && output.on !== "alarm")
      problem("kinds", `kinds needs on: alarm, because ${output.on} concerns the whole site. Remove kinds`);
  }
}

type Problem = (option: string, message: string) => void;

function reportTopic({ active, chip }: OutputOptions, mqtt: Configuration["mqtt"], problem: Problem): void {
  if (mqtt === "off") problem("mqtt", "mqtt is off. Configure a broker, or use a GPIO line");
  if (active !== undefined) problem("active", "active belongs to gpio. Use payloads");
  if (chip !== undefined) problem("chip", "chip belongs to gpio");
}
