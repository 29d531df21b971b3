import type { Config } from "../config/config.ts";
import type { SimulationView } from "../site/zone-view.ts";
import { ControlClient } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

/** Opens or restores a zone's contact in the running daemon and prints the result. */
export async function trip(
  config: Config,
  { zone, restore }: { zone: string; restore: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const contact = restore ? "normal" : "open";
  const outcome = await new ControlClient(config.dataDir).post<SimulationView>("/site/simulate", {
    zone,
    contact,
  });
  stdout.write(`${outcomeText(outcome, contact)}\n`);
}

function outcomeText(
  { zone, contact, changed, unchangedBy, trips, suppressed }: SimulationView,
  wanted: "open" | "normal",
): string {
  const disposition = suppressed === null ? "" : `, suppressed (${suppressed})`;
  if (trips.length > 0 && contact !== "open")
    return `${zone} tripped; its sensor still reports ${contact}: trip ${trips.join(", ")}${disposition}`;
  if (trips.length > 0) return `${zone} is open: trip ${trips.join(", ")}${disposition}`;
  if (changed) return `${zone} is ${contact}`;
  if (contact === wanted)
    return `${zone} was already ${contact}${wanted === "open" ? "; restore it with --restore before it can trip again" : ""}`;
  if (unchangedBy === "sensor")
    return `${zone} is still ${contact}: only its own sensor can ${wanted === "open" ? "open" : "restore"} it`;
  return `${zone} is ${contact}: the reading did not stay stable`;
}
