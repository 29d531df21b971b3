import type { Command } from "commander";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `gpio`: the GPIO lines of this machine. */
export function addGpioCommands(root: Command, terminal: Terminal): void {
  const gpio = root.command("gpio").description("the GPIO lines of this machine");
  withConfig(
    gpio.command("list").description("list the chips and their lines with holder and level; read-only"),
  )
    .option("--all", "include unnamed, unused lines")
    .option("--json", "print JSON")
    .action(async ({ config, all, json }: ConfigOption & { all?: boolean; json?: boolean }) => {
      const { gpioList } = await import("./gpio.ts");
      await gpioList(await load(terminal, config), { all: all === true, json: json === true }, terminal);
    });
}
