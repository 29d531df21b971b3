import type { Config } from "../config/config.ts";
import type { StatusView } from "../site/status-view.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { lifeSafetyNotice } from "./table.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** `status`. */
export function addStatusCommand(root: CommandGroup): void {
  root
    .add(
      "status",
      "show the state of the site (alarm, fault, attention or well) and the reasons; needs a running daemon",
      () => showStatus,
    )
    .option("--json", "print JSON in the format of /site/status");
}

/** `metrics`. */
export function addMetricsCommand(root: CommandGroup): void {
  root
    .add(
      "metrics",
      "print the metrics in the Prometheus text format; needs a running daemon",
      () => showMetrics,
    )
    .option("--sites", "those of the sites that report to this dispatch centre");
}

async function showMetrics(
  { dataDir }: Config,
  { stdout }: Terminal,
  { sites }: { readonly sites?: boolean },
): Promise<void> {
  stdout.write(await new ControlClient(dataDir).text(sites ? "/metrics/sites" : "/metrics"));
}

/** Prints the headline of the site with its reasons. */
async function showStatus({ dataDir }: Config, { stdout }: Terminal, { json }: JsonOption): Promise<void> {
  const status = await new ControlClient(dataDir).get<StatusView>("/site/status");
  stdout.write(json ? jsonText(status) : statusText(status));
}

function statusText({ site, headline, lifeSafetyHeld, conditions }: StatusView): string {
  const rows = conditions.map(({ severity, title, text: what }) => `  ${severity}: ${title}: ${what}\n`);
  return `${site.name}: ${headline.text}\n${lifeSafetyNotice(lifeSafetyHeld)}${rows.join("")}`;
}
