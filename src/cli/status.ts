import type { Config } from "../config/config.ts";
import type { StatusView } from "../site/status-view.ts";
import { ControlClient } from "./control-client.ts";
import { lifeSafetyNotice } from "./life-safety.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the headline of the site with its reasons. */
export async function showStatus(
  { dataDir }: Config,
  { json }: { json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const status = await new ControlClient(dataDir).get<StatusView>("/site/status");
  stdout.write(json ? `${JSON.stringify(status, null, 2)}\n` : statusText(status));
}

function statusText({ site, headline, lifeSafetyHeld, conditions }: StatusView): string {
  const rows = conditions.map(({ severity, title, text: what }) => `  ${severity}: ${title}: ${what}\n`);
  return `${site.name}: ${headline.text}\n${lifeSafetyNotice(lifeSafetyHeld)}${rows.join("")}`;
}
