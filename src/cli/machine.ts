import type { Config } from "../config/config.ts";
import { ControlClient } from "./control-client.ts";
import { confirm } from "./prompt.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Confirms that this machine replaces the one on which the data was created. The daemon restarts and sends the queued records.
 * @throws AppError as `confirm`; `conflict` if the machine is known, `daemon-unreachable`
 */
export async function confirmMachine(
  { dataDir }: Config,
  terminal: Terminal,
  options: { readonly yes?: boolean },
): Promise<void> {
  await confirm(
    terminal,
    "Two machines with the data of one site report its alarms twice. Is the other machine out of service?",
    options,
  );
  await new ControlClient(dataDir).post("/site/machine/confirm");
  terminal.stdout.write("confirmed; the daemon restarts and sends the queued records\n");
}
