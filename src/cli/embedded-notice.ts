import type { Config } from "../config/config.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Reports on standard error that a command answers for the embedded configuration, if it does: its answer would be taken for one
 * about the installation.
 */
export function noticeEmbedded(
  { file, dataDir }: Pick<Config, "file" | "dataDir">,
  { stderr }: Terminal,
): void {
  if (file !== null) return;
  stderr.write(
    `no configuration file found: using the embedded demo configuration, with data in ${dataDir}\n` +
      "Create a file with santinela init, or specify one with --config.\n",
  );
}
