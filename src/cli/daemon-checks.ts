import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { BACKLOG_LIMIT_MS } from "../domain/headline.ts";
import type { ObjectivesView } from "../http/site/objective-port.ts";
import type { StatusView } from "../http/site/status-view.ts";
import type { WalkTestView } from "../http/site/field-test-port.ts";
import type { ZoneView } from "../http/site/zone-port.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { ControlClient } from "./control-client.ts";
import type { CheckResult } from "./check-result.ts";

/** A copy that was not renewed for so long has missed two dozen tries of the schedule that is the default. */
const OLD_LIST_MS = 86_400_000;

/** What the running daemon says of itself, what waits, and what somebody may have left out of service. */
export async function daemonFindings({ dataDir, upstream }: Config): Promise<CheckResult[]> {
  const client = new ControlClient(dataDir);
  try {
    const status = await client.get<StatusView>("/site/status");
    const zones = await client.get<ZoneView[]>("/site/zones");
    const objectives = await client.get<ObjectivesView>("/site/objectives");
    const walk = await client.get<WalkTestView | null>("/site/walk-test");
    return [
      { check: "Daemon", status: "well", text: `runs since ${status.startedAt}` },
      headlineFinding(status),
      ...conditionFindings(status),
      ...queueFindings(status),
      ...messageFindings(status),
      ...objectiveFindings(objectives, upstream?.objectives === "off"),
      ...serviceOrderFindings(zones, walk),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, hint } = error;
    return [{ check: "Daemon", status: "doubt", text: message, ...(hint === "" ? {} : { remedy: hint }) }];
  }
}

/** An alarm is no fault of the installation: it does not change the exit code. */
function headlineFinding({ headline: { level, text } }: StatusView): CheckResult {
  return { check: "Headline", status: level === "well" ? "well" : "doubt", text };
}

function conditionFindings({ conditions }: StatusView): CheckResult[] {
  return conditions.map(({ severity, title, text, code }) => ({
    check: title,
    status: severity === "error" ? "fault" : "doubt",
    text,
    remedy: `docs/operating.md explains ${code}.`,
  }));
}

/** Topics that are named one by one; the rest is in /site/status. */
const TOPICS_NAMED_MAX = 5;

/** A payload that cannot be read may have been a trip; a message of a neighbour's sensor is none. */
function messageFindings({ messages = [] }: Partial<StatusView>): CheckResult[] {
  const listed = (of: typeof messages): string =>
    of
      .slice(0, TOPICS_NAMED_MAX)
      .map(({ topic, reason, count }) => `${topic} (${reason}, ${count})`)
      .join(", ") + (of.length > TOPICS_NAMED_MAX ? `, ${of.length - TOPICS_NAMED_MAX} more topics` : "");
  const unmatched = messages.filter(({ reason }) => reason === "no-zone");
  const refused = messages.filter(({ reason }) => reason !== "no-zone");
  return [
    ...(refused.length === 0
      ? []
      : [
          {
            check: "Messages",
            status: "doubt",
            text: `could not be read: ${listed(refused)}`,
            remedy: "Record them with mosquitto_sub -F %J and compare them with docs/sensors.md.",
          } as const,
        ]),
    ...(unmatched.length === 0
      ? []
      : [
          {
            check: "Messages",
            status: "well",
            text: `about none of the zones on their topic: ${listed(unmatched)}`,
          } as const,
        ]),
  ];
}

function queueFindings({ outbox, trips }: StatusView): CheckResult[] {
  const findings: CheckResult[] = [];
  const { waiting, blocked, rejected, gone, oldestWaitingMs } = outbox;
  const ageMs = oldestWaitingMs === null ? 0 : new SystemClock().wallMs() - oldestWaitingMs;
  const remedy = "santinela sync status";
  if (ageMs > BACKLOG_LIMIT_MS)
    findings.push({
      check: "Queue",
      status: "doubt",
      text: `${waiting} records wait, the oldest for ${Math.round(ageMs / 60_000)} minutes`,
      remedy,
    });
  if (blocked + rejected + gone > 0)
    findings.push({
      check: "Queue",
      status: "fault",
      text: `${blocked} records are blocked, ${rejected} rejected, ${gone} gone at the centre`,
      remedy,
    });
  if (trips.refused > 0)
    findings.push({
      check: "Trips",
      status: "fault",
      text: `${trips.refused} were refused by the local API`,
      remedy: "santinela events",
    });
  return findings.length > 0
    ? findings
    : [{ check: "Queue", status: "well", text: `${waiting} records wait` }];
}

/** How old the copies of the centre's lists are, and why one of them grows old. */
function objectiveFindings({ centre, lists }: ObjectivesView, isByHand: boolean): CheckResult[] {
  if (centre === null) return [];
  const check = "Objectives";
  const remedy = "santinela objectives pull";
  const nowMs = new SystemClock().wallMs();
  const findings = lists.flatMap(({ type, readAt, lastAttempt, reason }): CheckResult[] => {
    const why = reason === null ? "" : `: ${reason}`;
    if (readAt === null)
      return [{ check, status: isByHand ? "well" : "doubt", text: `${type} was never read${why}`, remedy }];
    const isOld = lastAttempt !== "taken" && nowMs - Date.parse(readAt) > OLD_LIST_MS && !isByHand;
    if (!isOld && lastAttempt !== "refused") return [];
    return [{ check, status: "doubt", text: `the copy of ${type} is of ${readAt}${why}`, remedy }];
  });
  if (findings.length > 0) return findings;
  const oldest = lists.map(({ readAt }) => readAt ?? "").toSorted()[0] ?? "";
  return [{ check, status: "well", text: `the copies of the centre's lists are of ${oldest} or newer` }];
}

/** What somebody may have forgotten. */
function serviceOrderFindings(zones: readonly ZoneView[], walk: WalkTestView | null): CheckResult[] {
  const bypassed = zones.flatMap(({ id, bypass }) => (bypass ? [{ id, ...bypass }] : []));
  return [
    ...(walk?.running === true
      ? [
          {
            check: "Walk test",
            status: "doubt",
            text: `runs until ${walk.until}; nothing is dispatched`,
            remedy: "santinela test walk --end",
          } as const,
        ]
      : []),
    ...bypassed.map(({ id, who, reason, until }) => ({
      check: "Bypass",
      status: "doubt" as const,
      text: `${id} is out of service until ${until} (${who}: ${reason})`,
      remedy: `santinela zones restore --zone ${id}`,
    })),
  ];
}
