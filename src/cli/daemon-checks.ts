import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { ConditionCode } from "../domain/condition.ts";
import { AppError } from "../domain/errors.ts";
import { BACKLOG_LIMIT_MS } from "../domain/headline-text.ts";
import { waitingForMs } from "../domain/outbox.ts";
import type { ObjectivesView } from "../site/sync-view.ts";
import type { StatusView } from "../site/status-view.ts";
import type { WalkTestView, ZoneView } from "../site/zone-view.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { ControlClient } from "./control-client.ts";
import { error, failed, ok, warning, type CheckResult } from "./check-result.ts";
import { localTime, withLocalTimes } from "./local-time.ts";
import { documentationPage } from "./shipped-files.ts";

/** At the default interval of an hour, an older list has missed two dozen pulls. */
const OLD_LIST_MS = 86_400_000;

/** What the daemon reports of its link until its next attempt. */
const LINK_CONDITIONS: readonly ConditionCode[] = [
  "upstream-unreachable",
  "upstream-authentication-failed",
  "upstream-unexpected-service",
];

/**
 * Checks of the running daemon: its state, its queues and zones left out of service.
 * @param acceptsNow whether the dispatch centre has just accepted a request of these checks
 */
export async function daemonChecks(
  { dataDir, upstream, site: { timezone } }: Config,
  { acceptsNow }: { readonly acceptsNow: boolean },
): Promise<CheckResult[]> {
  const client = new ControlClient(dataDir);
  try {
    const status = await client.get<StatusView>("/site/status");
    const zones = await client.get<ZoneView[]>("/site/zones");
    const objectives = await client.get<ObjectivesView>("/site/objectives");
    const walk = await client.get<WalkTestView | null>("/site/walk-test");
    return [
      ok("Daemon", `running since ${localTime(status.startedAt, timezone)}`),
      headlineCheck(status),
      ...conditionChecks(status, acceptsNow, timezone),
      ...queueChecks(status),
      ...monitoringChecks(status, timezone),
      ...messageChecks(status),
      ...objectiveChecks(objectives, upstream?.objectives === "off", timezone),
      ...serviceOrderChecks(zones, walk, timezone),
    ];
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    // A machine that is only being prepared has not run one yet.
    return [failed("Daemon", cause, hasRun(dataDir) ? error : warning)];
  }
}

/** Whether a daemon has run with this data directory: only a daemon makes the trip journal. */
function hasRun(dataDir: string): boolean {
  return existsSync(join(dataDir, "journal.db"));
}

/** An alarm is not an error of the installation: it does not change the exit code. */
function headlineCheck({ headline: { level, text } }: StatusView): CheckResult {
  return (level === "well" ? ok : warning)("Headline", text);
}

function conditionChecks({ conditions }: StatusView, acceptsNow: boolean, timeZone: string): CheckResult[] {
  return conditions.map(({ severity, title, text: said, code }) => {
    const text = withLocalTimes(said, timeZone);
    const report = severity === "error" ? error : warning;
    return acceptsNow && LINK_CONDITIONS.includes(code)
      ? report(
          title,
          `${text} The centre responds to this check; the daemon has not retried yet.`,
          "santinela sync now tries at once. After a change of upstream or its password: santinela reload.",
        )
      : report(title, text, `See ${code} in ${documentationPage("operating.md")}.`);
  });
}

/** Maximum topics listed; /site/status has all of them. */
const TOPICS_LISTED_MAX = 5;

/** An unreadable payload may have been a trip; a message about no zone was not. */
function messageChecks({ messages = [] }: Partial<StatusView>): CheckResult[] {
  const listed = (of: typeof messages): string =>
    of
      .slice(0, TOPICS_LISTED_MAX)
      .map(({ topic, reason, count }) => `${topic} (${reason}, ${count})`)
      .join(", ") + (of.length > TOPICS_LISTED_MAX ? `, ${of.length - TOPICS_LISTED_MAX} more topics` : "");
  const unmatched = messages.filter(({ reason }) => reason === "no-zone");
  const unreadable = messages.filter(({ reason }) => reason !== "no-zone");
  const remedy = `Record them with mosquitto_sub -F %j and compare them with ${documentationPage("sensors.md")}.`;
  return [
    ...(unreadable.length === 0
      ? []
      : [warning("Messages", `could not be read: ${listed(unreadable)}`, remedy)]),
    ...(unmatched.length === 0 ? [] : [ok("Messages", `match no zone on their topic: ${listed(unmatched)}`)]),
  ];
}

function queueChecks({ outbox, trips }: StatusView): CheckResult[] {
  const findings: CheckResult[] = [];
  const { waiting, blocked, rejected, gone } = outbox;
  const ageMs = waitingForMs(outbox, new SystemClock().wallMs());
  const remedy = "santinela sync status";
  if (ageMs > BACKLOG_LIMIT_MS) {
    const minutes = Math.round(ageMs / 60_000);
    findings.push(
      warning("Queue", `${recordsText(waiting)} queued, the oldest for ${minutes} minutes`, remedy),
    );
  }
  if (blocked + rejected + gone > 0) {
    const counts = `${recordsText(blocked)} blocked, ${rejected} rejected, ${gone} deleted at the dispatch centre or not accessible`;
    findings.push(error("Queue", counts, remedy));
  }
  if (trips.refused > 0)
    findings.push(error("Trips", `${trips.refused} rejected by the local API`, "santinela events"));
  return findings.length > 0 ? findings : [ok("Queue", `${recordsText(waiting)} queued`)];
}

function recordsText(count: number): string {
  return count === 1 ? "1 record" : `${count} records`;
}

/** Whether each monitoring receiver replies, and whether events wait for them. */
function monitoringChecks({ monitoring }: Partial<StatusView>, timeZone: string): CheckResult[] {
  if (!monitoring) return [];
  const check = "Monitoring receiver";
  const receivers = monitoring.receivers.map(({ address, state, since, reason }) =>
    state === "up"
      ? ok(check, `${address} has replied since ${localTime(since, timeZone)}`)
      : (state === "down" ? error : warning)(
          check,
          `${address} ${state === "down" ? `has not replied since ${localTime(since, timeZone)}: ${reason}` : "has not been contacted yet"}`,
          "Check upstreams[0].dc09.receivers, the network and the firewall.",
        ),
  );
  const { waiting, oldestWaitingAt } = monitoring;
  if (waiting === 0) return receivers;
  return [
    ...receivers,
    warning(
      check,
      `${waiting} events are not acknowledged, the oldest since ${localTime(oldestWaitingAt, timeZone)}`,
      "santinela status",
    ),
  ];
}

/** Age of the objective mirror's lists, with the reason if one is old. */
function objectiveChecks(
  { centre, lists }: ObjectivesView,
  isManual: boolean,
  timeZone: string,
): CheckResult[] {
  if (centre === null) return [];
  const check = "Objectives";
  const remedy = "santinela objectives pull";
  const nowMs = new SystemClock().wallMs();
  const findings = lists.flatMap(({ type, readAt, lastAttempt, reason }): CheckResult[] => {
    const why = reason === null ? "" : `: ${reason}`;
    if (readAt === null)
      return [(isManual ? ok : warning)(check, `${type} has never been pulled${why}`, remedy)];
    const isOld = lastAttempt !== "accepted" && nowMs - Date.parse(readAt) > OLD_LIST_MS && !isManual;
    if (!isOld && lastAttempt !== "rejected") return [];
    return [warning(check, `${type} was last pulled at ${localTime(readAt, timeZone)}${why}`, remedy)];
  });
  if (findings.length > 0) return findings;
  const oldest = lists.map(({ readAt }) => readAt ?? "").toSorted()[0] ?? "";
  return [
    ok(
      check,
      `objective lists last pulled at ${localTime(oldest === "" ? null : oldest, timeZone)} or newer`,
    ),
  ];
}

/** Walk tests and bypasses that may have been forgotten. */
function serviceOrderChecks(
  zones: readonly ZoneView[],
  walk: WalkTestView | null,
  timeZone: string,
): CheckResult[] {
  const bypasses = zones.flatMap(({ id, bypass }) => {
    if (!bypass) return [];
    const text = `${id} is out of service until ${localTime(bypass.until, timeZone)} (${bypass.who}: ${bypass.reason})`;
    return [warning("Bypass", text, `santinela zones restore --zone ${id}`)];
  });
  if (walk?.running !== true) return bypasses;
  const text = `running until ${localTime(walk.until, timeZone)}; nothing is dispatched`;
  return [warning("Walk test", text, "santinela test walk --end"), ...bypasses];
}
