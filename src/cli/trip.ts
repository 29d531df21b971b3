import type { Config } from "../config/config.ts";
import type { SimulationView } from "../http/site/zone-port.ts";
import { ControlClient } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

/** Opens or closes a zone's contact in the running daemon and says what came of it. */
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
  stdout.write(`${sentenceOf(outcome, contact)}\n`);
}

function sentenceOf(
  { zone, contact, changed, unchangedBy, trips, suppressed }: SimulationView,
  wanted: "open" | "normal",
): string {
  const disposition = suppressed === null ? "" : `, held back (${suppressed})`;
  if (trips.length > 0 && contact !== "open")
    return `${zone} has tripped, and is ${contact} as its own sensor says: trip ${trips.join(", ")}${disposition}`;
  if (trips.length > 0) return `${zone} is open: trip ${trips.join(", ")}${disposition}`;
  if (changed) return `${zone} is ${contact}`;
  if (contact === wanted)
    return `${zone} was ${contact} already${wanted === "open" ? "; close it with --restore before it can trip again" : ""}`;
  if (unchangedBy === "sensor")
    return `${zone} is still ${contact}: only its own sensor can ${wanted === "open" ? "open" : "close"} it`;
  return `${zone} is ${contact}: the reading did not settle`;
}
