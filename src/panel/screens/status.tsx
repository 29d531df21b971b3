import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Condition } from "../../domain/condition.ts";
import type { HeadlineItem, HeadlineLevel, HeadlineReason } from "../../domain/headline.ts";
import type { TimelineEntry } from "../../site/timeline-view.ts";
import type { StatusView } from "../../site/status-view.ts";
import { useQuery } from "../api.ts";
import { Badge, SYMBOLS, type Tone } from "../badge.tsx";
import { ConditionText } from "../condition-text.tsx";
import { EventRows } from "../event-rows.tsx";
import { t, tCode } from "../i18n.ts";
import { LinkDay } from "../link-history-chart.tsx";
import { journalVersion, status, zones } from "../live-updates.ts";
import { formatTime } from "../date-format.ts";
import { mayOperate } from "../session.ts";
import { ComparisonBadge, LINK_TONES } from "../sync-badge.tsx";

/** The state of the site, most serious first. */
export function StatusScreen() {
  const now = status.value;
  if (!now) return <p class="quiet">{t("app.loading")}</p>;
  return (
    <>
      <h1>{t("status.title")}</h1>
      <Summary now={now} />
      <div class="tiles">
        <LinkTile now={now} />
        <OutboxTile now={now} />
        {now.link.state !== "none" && <ComparisonTile now={now} />}
        <ZonesTile />
        <TripsTile now={now} />
        <Tile title={t("status.started")}>{formatTime(now.startedAt)}</Tile>
        <Tile title={t("status.version")}>{now.version}</Tile>
      </div>
      {now.link.state !== "none" && (
        <section class="below">
          <h2>{t("linkHistory.day")}</h2>
          <LinkDay />
        </section>
      )}
      {mayOperate() && <Latest />}
    </>
  );
}

function Latest() {
  const { response } = useQuery<TimelineEntry[]>("/site/journal?limit=5", journalVersion.value);
  return (
    <section class="below">
      <h2>{t("status.latest")}</h2>
      {response && <EventRows caption={t("status.latest")} entries={response.body} />}
    </section>
  );
}

/** The headline of the site with its reasons, then each open condition. */
function Summary({ now: { headline, conditions } }: { readonly now: StatusView }) {
  const { level, reasons, planned } = headline;
  const title = useId();
  // Conditions follow below, each with its remedy.
  const listed = reasons.filter(({ code }) => code !== "condition-error" && code !== "condition-warning");
  return (
    <section aria-live="polite" aria-labelledby={title}>
      <h2 id={title} class={`headline ${LEVEL_TONES[level]}`}>
        <span aria-hidden="true">{SYMBOLS[LEVEL_TONES[level]]} </span>
        {t(`headline.${level}`)}
      </h2>
      {planned > 0 && <p class="quiet">{t("headline.planned", { n: planned })}</p>}
      <ul class="conditions">
        {listed.map((reason) => (
          <Reason key={reason.code} reason={reason} />
        ))}
        {conditions.map((condition) => (
          <OpenCondition key={`${condition.code}/${condition.subject}`} condition={condition} />
        ))}
      </ul>
    </section>
  );
}

const LEVEL_TONES: Readonly<Record<HeadlineLevel, Tone>> = {
  alarm: "bad",
  fault: "bad",
  attention: "warn",
  well: "good",
};

function Reason({ reason: { code, level, count, items } }: { readonly reason: HeadlineReason }) {
  const tone = LEVEL_TONES[level];
  return (
    <li class={`${tone} box`}>
      <p>
        <strong>
          {SYMBOLS[tone]} {t(`reason.${code}`, { n: count })}
        </strong>
      </p>
      {items.length > 0 && (
        <ul class="names">
          {items.map((item) => (
            <li key={item.id}>
              <ReasonItem item={item} />
            </li>
          ))}
          {count > items.length && <li>{t("headline.more", { n: count - items.length })}</li>}
        </ul>
      )}
    </li>
  );
}

function ReasonItem({ item: { about, id, name } }: { readonly item: HeadlineItem }) {
  if (about !== "intervention") return <>{name}</>;
  const text = `#${id} ${name}`;
  return mayOperate() ? <a href={`#/interventions/${id}`}>{text}</a> : <>{text}</>;
}

function OpenCondition({ condition }: { readonly condition: Condition }) {
  const { code, severity, title, since } = condition;
  return (
    <li class={severity === "error" ? "bad box" : "warn box"}>
      <p>
        <strong>
          {severity === "error" ? "▲" : "◆"} {tCode("condition", code, title)}
        </strong>{" "}
        <span class="quiet">{t("status.since", { time: formatTime(since) })}</span>
      </p>
      <ConditionText condition={condition} />
    </li>
  );
}

function LinkTile({ now: { link } }: { readonly now: StatusView }) {
  return (
    <Tile
      title={t("status.link")}
      note={
        link.nextAttemptAt === null
          ? link.answeredAt && t("link.lastResponse", { time: formatTime(link.answeredAt) })
          : t("link.nextAttempt", { time: formatTime(link.nextAttemptAt) })
      }
    >
      <Badge tone={LINK_TONES[link.state]}>{t(`link.${link.state}`)}</Badge>
    </Tile>
  );
}

function OutboxTile({ now: { outbox } }: { readonly now: StatusView }) {
  const failed = outbox.blocked + outbox.rejected + outbox.gone;
  const oldest = outbox.oldestWaitingMs === null ? null : new Date(outbox.oldestWaitingMs).toISOString();
  return (
    <Tile title={t("status.outbox")} note={oldest && t("status.oldest", { time: formatTime(oldest) })}>
      {outbox.waiting}{" "}
      {failed > 0 && <Badge tone="bad">{t("status.outboxNeedsAttention", { n: failed })}</Badge>}
    </Tile>
  );
}

/** Result of the last comparison with the list of the dispatch centre. */
function ComparisonTile({ now: { comparison } }: { readonly now: StatusView }) {
  return (
    <Tile
      title={t("compared.title")}
      note={comparison && t("compared.at", { time: formatTime(comparison.at) })}
    >
      <ComparisonBadge comparison={comparison} />
    </Tile>
  );
}

function TripsTile({ now: { trips } }: { readonly now: StatusView }) {
  return (
    <Tile title={t("status.trips")}>
      {trips.waiting}{" "}
      {trips.refused > 0 && <Badge tone="bad">{t("status.tripsRejected", { n: trips.refused })}</Badge>}
    </Tile>
  );
}

function ZonesTile() {
  const open = zones.value.filter(({ contact }) => contact === "open").length;
  const unknown = zones.value.filter(({ contact }) => contact === "unknown").length;
  return (
    <Tile title={t("status.zones")}>
      {open > 0 && <Badge tone="bad">{t("status.zonesOpen", { n: open })}</Badge>}
      {unknown > 0 && <Badge tone="warn">{t("status.zonesUnknown", { n: unknown })}</Badge>}
      {open + unknown === 0 && <Badge tone="good">{t("status.zonesNormal")}</Badge>}
    </Tile>
  );
}

function Tile({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note?: string | null;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="box">
      <h2>{title}</h2>
      <p class="figure">{children}</p>
      {note && <p class="quiet">{note}</p>}
    </section>
  );
}
