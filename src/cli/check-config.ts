import type { Config } from "../config/config.ts";
import { ConfigurationError } from "../config/problems.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Says that a configuration is fine, with what is allowed but probably not meant.
 * @param load reads it; with `json` its mistakes are printed as JSON too
 * @throws AppError what `load` throws
 */
export async function checkConfig(
  load: () => Promise<Config>,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  if (!json) return tell(await load(), terminal);
  const print = (answer: unknown): void => void terminal.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  try {
    const { file, warnings, zones, upstream, dataDir } = await load();
    const centre = upstream?.baseUrl ?? null;
    print({ valid: true, file, mistakes: [], warnings, zones: zones.length, upstream: centre, dataDir });
  } catch (error) {
    if (error instanceof ConfigurationError) print({ valid: false, mistakes: error.mistakes });
    throw error;
  }
}

function tell({ file, warnings, zones, upstream, dataDir }: Config, { stdout, stderr }: Terminal): void {
  for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
  const centre = upstream ? `pushes to ${upstream.baseUrl}` : "stands alone";
  const name = file ?? "the embedded configuration";
  stdout.write(`${name} is valid: ${zones.length} zones, ${centre}, data in ${dataDir}\n`);
}
