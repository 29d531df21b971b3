import type { Config } from "../config/config.ts";
import type { Terminal } from "./terminal.ts";

/** Says that a configuration is fine (one with mistakes never gets here), with what is allowed but probably not meant. */
export function checkConfig(config: Config, { stdout, stderr }: Terminal): void {
  for (const warning of config.warnings) stderr.write(`warning: ${warning}\n`);
  const name = config.file ?? "the embedded configuration";
  const centre = config.upstream ? `pushes to ${config.upstream.baseUrl}` : "stands alone";
  stdout.write(`${name} is valid: ${config.zones.length} zones, ${centre}, data in ${config.dataDir}\n`);
}
