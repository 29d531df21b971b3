import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Condition } from "../../domain/condition.ts";
import type { HeadlineItem, HeadlineLevel, HeadlineReason } from "../../domain/headline.ts";
import type { JournalEntry } from "../../http/site/journal-view.ts";
import type { StatusView } from "../../http/site/status-view.ts";
import { useAnswer } from "../api.ts";
import { Badge, SIGNS, type Tone } from "../badge.tsx";
import { ConditionText } from "../condition-text.tsx";
import { EventRows } from "../event-rows.tsx";
import { say, sayCode } from "../language.ts";
import { LinkDay } from "../link-pictures.tsx";
import { journalVersion, status, zones } from "../live.ts";
import { sayMoment } from "../moments.ts";
import { mayOperate } from "../session.ts";
import { ComparisonBadge, LINK_TONES } from "../sync-badge.tsx";

/** How this site stands, what is wrong first. */
export function StatusScreen() {
  const now = status.value;
  if (!now) return <p class="quiet">{say("app.loading")}</p>;
  return (
    <>
      <h1>{say("status.title")}</h1>
      <Summary now={now} />
      <div class="tiles">
        <LinkTile now={now} />
        <OutboxTile now={now} />
        {now.link.state !== "none" && <ComparisonTile now={now} />}
        <ZonesTile />
        <TripsTile now={now} />
        <Tile title={say("status.started")}>{sayMoment(now.startedAt)}</Tile>
        <Tile title={say("status.version")}>{now.version}</Tile>
      </div>
      {now.link.state !== "none" && (
        <section class="below">
          <h2>{say("history.day")}</h2>
          <LinkDay />
        </section>
      )}
      {mayOperate() && <Latest />}
    </>
  );
}

function Latest() {
  const { answer } = useAnswer<JournalEntry[]>("/site/journal?limit=5", journalVersion.value);
  return (
    <section class="below">
      <h2>{say("status.latest")}</h2>
      {answer && <EventRows caption={say("status.latest")} entries={answer.body} />}
    </section>
  );
}

/** What the daemon says of the whole site: its headline with the reasons, then each open condition. */
function Summary({ now: { headline, conditions } }: { readonly now: StatusView }) {
  const { level, reasons, planned } = headline;
  const title = useId();
  // Conditions stand below with their remedy.
  const listed = reasons.filter(({ code }) => code !== "condition-error" && code !== "condition-warning");
  return (
    <section aria-live="polite" aria-labelledby={title}>
      <h2 id={title} class={`headline ${LEVEL_TONES[level]}`}>
        <span aria-hidden="true">{SIGNS[LEVEL_TONES[level]]} </span>
        {say(`headline.${level}`)}
      </h2>
      {planned > 0 && <p class="quiet">{say("headline.planned", { n: planned })}</p>}
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
          {SIGNS[tone]} {say(`reason.${code}`, { n: count })}
        </strong>
      </p>
      {items.length > 0 && (
        <ul class="names">
          {items.map((item) => (
            <li key={item.id}>
              <ReasonItem item={item} />
            </li>
          ))}
          {count > items.length && <li>{say("headline.more", { n: count - items.length })}</li>}
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
          {severity === "error" ? "▲" : "◆"} {sayCode("condition", code, title)}
        </strong>{" "}
        <span class="quiet">{say("status.since", { time: sayMoment(since) })}</span>
      </p>
      <ConditionText condition={condition} />
    </li>
  );
}

function LinkTile({ now: { link } }: { readonly now: StatusView }) {
  return (
    <Tile
      title={say("status.link")}
      note={
        link.nextTryAt === null
          ? link.answeredAt && say("link.answered", { time: sayMoment(link.answeredAt) })
          : say("link.nextTry", { time: sayMoment(link.nextTryAt) })
      }
    >
      <Badge tone={LINK_TONES[link.state]}>{say(`link.${link.state}`)}</Badge>
    </Tile>
  );
}

function OutboxTile({ now: { outbox } }: { readonly now: StatusView }) {
  const stuck = outbox.blocked + outbox.rejected + outbox.gone;
  const oldest = outbox.oldestWaitingMs === null ? null : new Date(outbox.oldestWaitingMs).toISOString();
  return (
    <Tile title={say("status.outbox")} note={oldest && say("status.oldest", { time: sayMoment(oldest) })}>
      {outbox.waiting} {stuck > 0 && <Badge tone="bad">{say("status.outboxStuck", { n: stuck })}</Badge>}
    </Tile>
  );
}

/** The standing proof: every record here held against the centre's list. */
function ComparisonTile({ now: { comparison } }: { readonly now: StatusView }) {
  return (
    <Tile
      title={say("compared.title")}
      note={comparison && say("compared.at", { time: sayMoment(comparison.at) })}
    >
      <ComparisonBadge comparison={comparison} />
    </Tile>
  );
}

function TripsTile({ now: { trips } }: { readonly now: StatusView }) {
  return (
    <Tile title={say("status.trips")}>
      {trips.waiting}{" "}
      {trips.refused > 0 && <Badge tone="bad">{say("status.tripsRefused", { n: trips.refused })}</Badge>}
    </Tile>
  );
}

function ZonesTile() {
  const open = zones.value.filter(({ contact }) => contact === "open").length;
  const unknown = zones.value.filter(({ contact }) => contact === "unknown").length;
  return (
    <Tile title={say("status.zones")}>
      {open > 0 && <Badge tone="bad">{say("status.zonesOpen", { n: open })}</Badge>}
      {unknown > 0 && <Badge tone="warn">{say("status.zonesUnknown", { n: unknown })}</Badge>}
      {open + unknown === 0 && <Badge tone="good">{say("status.zonesNormal")}</Badge>}
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
