import type { Config } from "../config/config.ts";
import type { OutputView } from "../domain/output.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { localTime } from "./local-time.ts";
import { tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `outputs`. */
export function addOutputCommands(root: CommandGroup): void {
  const outputs = root.group("outputs", "relays and topics of the configuration; needs a running daemon");
  outputs.add("list", "list the outputs and their state", () => list).option("--json", "print JSON");
  outputs
    .add("test", "switch an output for two seconds", () => test)
    .requiredOption("--name <name>", "the output")
    .option("--json", "print JSON");
}

async function list({ dataDir, site }: Config, terminal: Terminal, options: JsonOption): Promise<void> {
  const views = await new ControlClient(dataDir).get<OutputView[]>("/site/outputs");
  write(views, site.timezone, terminal, options);
}

/** @throws AppError `not-found` for an unknown output, `conflict` while it is in use */
async function test(
  { dataDir, site }: Config,
  terminal: Terminal,
  options: JsonOption & { readonly name: string },
): Promise<void> {
  const path = `/site/outputs/${encodeURIComponent(options.name)}/test`;
  write(await new ControlClient(dataDir).post<OutputView[]>(path, {}), site.timezone, terminal, options);
}

function write(
  views: readonly OutputView[],
  timeZone: string,
  { stdout }: Terminal,
  { json }: JsonOption,
): void {
  if (json) return void stdout.write(`${JSON.stringify(views)}\n`);
  if (views.length === 0) return void stdout.write("no outputs; add them to outputs in the configuration\n");
  const rows = views.map(({ name, reason, target, isOn, since, fault }) => [
    name,
    reason,
    target,
    isOn === null ? "unknown" : isOn ? "ON" : "off",
    localTime(since, timeZone),
    fault ?? "",
  ]);
  stdout.write(tableText(["OUTPUT", "ON", "TARGET", "STATE", "SINCE", "FAULT"], rows));
}
