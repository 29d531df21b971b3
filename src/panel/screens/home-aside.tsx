import "../print.css";
import "../facts.css";
import "../home-aside.css";
import { useEffect } from "preact/hooks";
import type { StatusView } from "../../site/status-view.ts";
import type { SupplyView, SupplyZoneView } from "../../site/supply-view.ts";
import { AlarmSound } from "../alarm-sound.tsx";
import { Badge, type Tone } from "../badge.tsx";
import { LinkCause } from "../condition-text.tsx";
import { daemonNowMs } from "../clock.ts";
import { hasDestination } from "../destination.ts";
import { formatTime } from "../date-format.ts";
import { formatDate, formatDated } from "../day-format.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { pinnedZones } from "../journey-card.tsx";
import { LinkDay } from "../link-history-chart.tsx";
import { status, zones } from "../live-updates.ts";
import { mayAdminister, mayOperate } from "../session.ts";
import { kindIcon } from "../zone-appearance.ts";
import { usePinnedZones } from "../plan-link.tsx";
import { ComparisonBadge, LINK_TONES } from "../sync-badge.tsx";
import { FoundCount, QuietDay } from "./home-quiet.tsx";

/** What is next to the state of the site: its link and its power supply. */
export function HomeAside() {
  const now = status.value;
  if (!now) return null;
  const isSite = now.role === "site";
  const hasZones = zones.value.length > 0;
  return (
    <>
      {isSite && !hasZones && mayAdminister() && <FoundCount />}
      {isSite && hasZones && now.headline.level === "well" && <QuietDay />}
      {isSite && <PinnedZones />}
      {now.link.state !== "none" && <LinkCard now={now} />}
      {isSite && hasZones && !hasDestination() && (
        <section class="card">
          <p>{t("home.noCentre")}</p>
        </section>
      )}
      {isSite && hasZones && <PastCard last={now.lastAlarm ?? null} />}
      {now.supply && <SupplyCard supply={now.supply} />}
      {mayOperate() && <AlarmSound />}
    </>
  );
}

/** Reads which zones have a place on a floor plan: the cards of the interventions link to it. */
function PinnedZones() {
  const pinned = usePinnedZones(true);
  const ids = JSON.stringify(pinned);
  useEffect(() => {
    pinnedZones.value = pinned ?? [];
  }, [ids]);
  return null;
}

/** Between two walk tests of a zone, in days. */
const WALK_TEST_EVERY_DAYS = 90;
const DAY_MS = 86_400_000;

/** The last alarm with how it ended, and the walk test that is due next: the oldest test of a zone decides. */
function PastCard({ last }: { readonly last: StatusView["lastAlarm"] }) {
  const tested = zones.value.flatMap(({ testedAt }) => testedAt ?? []).sort();
  const untested = zones.value.length - tested.length;
  const dueMs = Date.parse(tested[0] ?? "") + WALK_TEST_EVERY_DAYS * DAY_MS;
  const isDue = untested > 0 || dueMs <= daemonNowMs();
  return (
    <section class="card past">
      <ul class="items">
        <li>
          <span class="disc">
            <Icon name={kindIcon(last?.zone.kind ?? null)} />
          </span>
          {last === null ? <b class="grow">{t("past.noAlarm")}</b> : <LastAlarm last={last} />}
        </li>
        <li>
          <span class="disc">
            <Icon name="clipboard-check" />
          </span>
          <a class="grow" href="#/walk-test">
            <b>
              {tested.length === 0
                ? t("past.noTest")
                : t("past.test", { time: formatDated(tested[tested.length - 1] ?? "") })}
            </b>
            <small class={isDue ? "word s-attention" : ""}>
              {untested > 0
                ? t("past.untested", { n: untested })
                : t(isDue ? "past.overdue" : "past.nextTest", { time: formatDate(dueMs) })}
            </small>
          </a>
        </li>
      </ul>
    </section>
  );
}

/** Its intervention is open to those who work with interventions. */
function LastAlarm({ last }: { readonly last: NonNullable<StatusView["lastAlarm"]> }) {
  const text = (
    <>
      <b>{t("past.alarm", { time: last.at === null ? "–" : formatDated(last.at) })}</b>
      <small>
        {`#${last.interventionId} ${last.zone.name} · `}
        {last.status === null ? t("past.deleted") : t(`status.${last.status}`)}
      </small>
    </>
  );
  return mayOperate() ? (
    <a class="grow" href={`#/interventions/${last.interventionId}`}>
      {text}
    </a>
  ) : (
    <div class="grow">{text}</div>
  );
}

/** The link to the dispatch centre, its last day, and what waits for it. */
function LinkCard({ now: { link, outbox, comparison } }: { readonly now: StatusView }) {
  const failed = outbox.blocked + outbox.rejected + outbox.gone;
  return (
    <section class="card" data-link={link.state} data-queued={outbox.waiting}>
      <div class="row">
        <h2 class="grow">{t("status.link")}</h2>
        <Badge tone={LINK_TONES[link.state]} icon={link.state === "down" ? "unlink" : "link"}>
          {t(`link.${link.state}`)}
        </Badge>
      </div>
      <LinkDay />
      <LinkCause link={link} />
      <p class="quiet">
        {link.nextAttemptAt === null
          ? link.answeredAt && t("link.lastResponse", { time: formatTime(link.answeredAt) })
          : t("link.nextAttempt", { time: formatTime(link.nextAttemptAt) })}
      </p>
      <div class="row">
        <a href="#/sync">{t("sync.waiting", { n: outbox.waiting })}</a>
        {failed > 0 && <Badge tone="fault">{t("status.outboxNeedsAttention", { n: failed })}</Badge>}
        {comparison && <ComparisonBadge comparison={comparison} />}
      </div>
    </section>
  );
}

const SUPPLY_TONES: Readonly<Record<SupplyView["state"], Tone>> = {
  "battery-low": "fault",
  "on-battery": "attention",
  "under-voltage": "attention",
  unknown: "attention",
  charging: "attention",
  sufficient: "fine",
};

/** Mains, battery and voltage, each as its zone shows it, and when the machine is powered off. */
function SupplyCard({ supply: { state, powerOffAfterS, zones } }: { readonly supply: SupplyView }) {
  const isOnBattery = state === "battery-low" || state === "on-battery";
  return (
    <section class="card" data-supply={state}>
      <div class="row">
        <h2 class="grow">{t("supply.title")}</h2>
        <Badge tone={SUPPLY_TONES[state]}>{t(`supply.${state}`)}</Badge>
      </div>
      <dl class="facts">
        {zones.map((zone) => (
          <SupplyZone key={zone.id} zone={zone} />
        ))}
      </dl>
      {isOnBattery && powerOffAfterS !== null && (
        <p class="quiet">{t("supply.powerOff", { n: Math.ceil(powerOffAfterS / 60) })}</p>
      )}
    </section>
  );
}

function SupplyZone({ zone: { name, watches, contact, since } }: { readonly zone: SupplyZoneView }) {
  const word = t(contact === "unknown" ? "supply.noReading" : `supply.${watches}.${contact}`);
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {word}
        {contact === "open" && since !== null && ` · ${t("status.since", { time: formatTime(since) })}`}
      </dd>
    </>
  );
}
