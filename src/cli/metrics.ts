import type { Config } from "../config/config.ts";
import { ControlClient } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the running daemon's metrics in the Prometheus text format. */
export async function showMetrics({ dataDir }: Config, { stdout }: Terminal): Promise<void> {
  stdout.write(await new ControlClient(dataDir).text("/metrics"));
}
