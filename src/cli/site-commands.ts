import type { Command } from "commander";
import { AppError } from "../domain/errors.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `trip` and `events`: what goes on at the site, asked of the running daemon. */
export function addSiteCommands(root: Command, terminal: Terminal): void {
  withConfig(
    root.command("trip").description("open a zone's contact, as its sensor would; needs the running daemon"),
  )
    .requiredOption("--zone <id>", "the zone")
    .option("--restore", "close it instead")
    .action(async ({ config, zone, restore }: ConfigOption & { zone: string; restore?: boolean }) => {
      const { trip } = await import("./trip.ts");
      await trip(await load(terminal, config), { zone, restore: restore === true }, terminal);
    });
  withConfig(root.command("events").description("who did what, and what the zones saw; the newest last"))
    .option("--limit <number>", "how many entries", "50")
    .option("--json", "print JSON")
    .action(async ({ config, limit, json }: ConfigOption & { limit: string; json?: boolean }) => {
      const { showEvents } = await import("./events.ts");
      await showEvents(
        await load(terminal, config),
        { limit: numberOf(limit), json: json === true },
        terminal,
      );
    });
  withConfig(
    root.command("metrics").description("the running daemon in numbers, as Prometheus reads them"),
  ).action(async ({ config }: ConfigOption) => {
    const { showMetrics } = await import("./metrics.ts");
    await showMetrics(await load(terminal, config), terminal);
  });
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new AppError("usage", `--limit takes a number up to 1000, not ${text}`);
  return Math.min(Number(text), 1000);
}
