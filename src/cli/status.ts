import type { Config } from "../config/config.ts";
import type { LoadOptions } from "../config/load.ts";
import { plainLine, plainLines } from "../domain/single-line.ts";
import type { StatusView } from "../site/status-view.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { askRunningDaemon, possibleDaemons } from "./running-daemon.ts";
import { withLocalTimes } from "./local-time.ts";
import { lifeSafetyNotice } from "./table.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** `status`. */
export function addStatusCommand(root: CommandGroup): void {
  root
    .addUnloaded(
      "status",
      "show the state of the site (alarm, fault, attention or well) and the reasons; needs a running daemon. The errors of an invalid configuration file follow on standard error, and the exit code stays 0",
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
    .option("--sites", "the metrics of the sites that report to this dispatch centre");
}

async function showMetrics(
  { dataDir }: Config,
  { stdout }: Terminal,
  { sites }: { readonly sites?: boolean },
): Promise<void> {
  stdout.write(await new ControlClient(dataDir).text(sites ? "/metrics/sites" : "/metrics"));
}

/**
 * Prints the headline of the site with its reasons, then the errors of the configuration file. They do not change the exit code,
 * which says whether the daemon has responded; `check-config` is the command that exits with 78.
 */
async function showStatus(from: LoadOptions, terminal: Terminal, { json }: JsonOption): Promise<void> {
  const { stdout, stderr } = terminal;
  const { answer, fault } = await askRunningDaemon(possibleDaemons(from, terminal), (client) =>
    client.get<StatusView>("/site/status"),
  );
  stdout.write(json ? jsonText(answer) : statusText(answer));
  if (fault !== null)
    stderr.write(
      `the configuration file is invalid; the daemon above runs with an earlier one:\n${fault}\nCorrect the file, run santinela check-config, then santinela reload.\n`,
    );
}

function statusText(status: StatusView): string {
  const { site, headline, lifeSafetySuppressed, conditions } = status;
  const rows = conditions.map(
    ({ severity, title, text }) =>
      `  ${severity}: ${title}: ${plainLines(withLocalTimes(text, site.timezone), "    ")}\n`,
  );
  const notice = lifeSafetyNotice(lifeSafetySuppressed);
  return `${plainLine(`${site.name}: ${headline.text}`)}\n${notice}${noCentreText(status)}${undeliveredText(status)}${monitoringText(status)}${rows.join("")}`;
}

/** A daemon of an earlier release does not report it. */
type WithMonitoring = Partial<Pick<StatusView, "monitoring">> & Pick<StatusView, "journeys">;

/** So that no one takes a site without a destination for one that calls for help. */
function noCentreText({
  role,
  link,
  monitoring = null,
}: WithMonitoring & Pick<StatusView, "role" | "link">): string {
  const hasNone = role === "site" && link.state === "none" && monitoring === null;
  return hasNone ? "  no dispatch centre: interventions stay here\n" : "";
}

/** The monitoring receivers, and the interventions with an event that none has acknowledged yet. */
function monitoringText({ monitoring = null, journeys }: WithMonitoring): string {
  if (monitoring === null) return "";
  const receivers = monitoring.receivers.map(
    ({ address, state, reason }) =>
      `  monitoring receiver ${address}: ${state}${reason === null ? "" : ` (${plainLine(reason)})`}\n`,
  );
  const open = journeys
    .filter(({ receiver }) => receiver?.state === "waiting")
    .map(
      ({ interventionId, name }) =>
        `  no monitoring receiver has acknowledged #${interventionId} ${plainLine(name)} yet\n`,
    );
  return [...receivers, ...open].join("");
}

/** Names the alarms that the dispatch centre has not received yet, with its telephone number. */
function undeliveredText({ journeys, centrePhone }: StatusView): string {
  const call = centrePhone === null ? "" : `; call ${centrePhone}`;
  return journeys
    .flatMap(({ interventionId, name, centre }) => {
      const what = plainLine(interventionId === null ? name : `#${interventionId} ${name}`);
      if (centre?.isUndelivered === true && centre.upstreamId !== null)
        return [`  the dispatch centre has not received the latest trip of ${what} yet${call}\n`];
      if (centre?.isUndelivered === true)
        return [`  the dispatch centre has not received ${what} yet${call}\n`];
      return centre?.isStopped === true
        ? [`  the dispatch centre does not have ${what}: sending was stopped${call}\n`]
        : [];
    })
    .join("");
}
