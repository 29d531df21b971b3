import { useId } from "preact/hooks";
import type { Condition } from "../../domain/condition.ts";
import type { HeadlineItem, HeadlineLevel, HeadlineReason } from "../../domain/headline.ts";
import type { StatusView } from "../../site/status-view.ts";
import { TONE_ICONS, type Tone } from "../badge.tsx";
import { ConditionText } from "../condition-text.tsx";
import { t, tCode, withMoreTexts } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import type { IconName } from "../icons.ts";
import { JourneyCard } from "../journey-card.tsx";
import { Later, Unknown } from "../later.tsx";
import { status, zones } from "../live-updates.ts";
import { formatTime } from "../date-format.ts";
import { mayAdminister, mayOperate } from "../session.ts";
import { byUrgency, kindIcon, zoneLook } from "../zone-look.ts";
import { ZoneTile } from "../zone-tile.tsx";

/* What is not needed to see whether something is wrong comes after it. */
const aside = () => withMoreTexts(import("./home-aside.tsx")).then((part) => part.HomeAside);
const latest = () => withMoreTexts(import("./latest-events.tsx")).then((events) => events.LatestEvents);

/** The truth about the site: its headline, each unfinished intervention, the zones that are not normal. */
export function HomeScreen() {
  const now = status.value;
  if (!now) return <Unknown />;
  const alarms = now.journeys.filter(({ isAlarm }) => isAlarm);
  const work = now.journeys.filter(({ isAlarm }) => !isAlarm);
  return (
    <>
      <Hero now={now} />
      <div class="split">
        <div class="stack">
          <Journeys title={t("home.alarms")} journeys={alarms} />
          <ZonesNotNormal />
          <Reasons now={now} />
          <Journeys title={t("home.work")} journeys={work} />
        </div>
        <div class="stack">
          <Later load={aside} isPart />
          {mayOperate() && <Later load={latest} isPart />}
        </div>
      </div>
    </>
  );
}

const LEVEL_TONES: Readonly<Record<HeadlineLevel, Tone>> = {
  alarm: "alarm",
  fault: "fault",
  attention: "attention",
  well: "fine",
};

/** The headline with the reasons of its level; the daemon has computed it. */
function Hero({ now: { headline, journeys, role } }: { readonly now: StatusView }) {
  const { level, reasons, planned } = headline;
  const title = useId();
  const isEmpty = hasOnlyNoZones(reasons);
  // The journeys begin with the worst.
  const first = journeys.find(({ isAlarm }) => isAlarm);
  const id = first?.interventionId ?? null;
  return (
    <section class={`hero s-${LEVEL_TONES[level]}`} aria-live="polite" aria-labelledby={title}>
      <span class="disc">
        <Icon name={isEmpty ? "layout-grid" : heroIcon(level, first?.zone?.kind ?? null)} />
      </span>
      <h1 id={title}>{t(isEmpty ? "guide.noZones" : `headline.${level}`)}</h1>
      <p>
        {level === "well"
          ? role === "centre"
            ? t("home.noneUnfinished")
            : t("home.allNormal", { n: zones.value.length })
          : reasons
              .filter((reason) => reason.level === level && !isEmpty)
              .map(reasonText)
              .join(" · ")}
        {planned > 0 && <span> · {t("headline.planned", { n: planned })}</span>}
      </p>
      {reasons.some(isNoZones) && mayAdminister() && (
        <div class="actions">
          <a class="button" href="#/zones/found">
            {t("zones.addFirst")}
          </a>
        </div>
      )}
      {id !== null && mayOperate() && (
        <div class="actions">
          <a class="button" href={`#/interventions/${id}`}>
            {t("home.open", { id })}
          </a>
        </div>
      )}
    </section>
  );
}

function isNoZones({ code }: HeadlineReason): boolean {
  return code === "no-zones";
}

/** The site has nothing but no zones: that is the headline, and needs no card of its own. */
function hasOnlyNoZones(reasons: readonly HeadlineReason[]): boolean {
  return reasons.length > 0 && reasons.every(isNoZones);
}

function heroIcon(level: HeadlineLevel, kind: Parameters<typeof kindIcon>[0]): IconName {
  if (level === "alarm") return kindIcon(kind, true);
  return level === "well" ? "shield-check" : TONE_ICONS[LEVEL_TONES[level]];
}

/** A reason with the names of what it is about, if these are few. */
function reasonText({ code, count, items }: HeadlineReason): string {
  const text = t(`reason.${code}`, { n: count });
  return count > 2 || items.length === 0 ? text : `${text}: ${items.map(itemName).join(", ")}`;
}

function itemName({ about, id, name }: HeadlineItem): string {
  return about === "condition" ? tCode("condition", id, name) : name;
}

function Journeys({
  title,
  journeys,
}: {
  readonly title: string;
  readonly journeys: StatusView["journeys"];
}) {
  if (journeys.length === 0) return null;
  return (
    <section class="stack tight">
      <h2>{title}</h2>
      <ul class="stack tight conditions">
        {journeys.map((journey) => (
          <JourneyCard
            key={`${journey.interventionId} ${journey.zone?.id} ${journey.contactAt}`}
            journey={journey}
          />
        ))}
      </ul>
    </section>
  );
}

function ZonesNotNormal() {
  const shown = byUrgency(zones.value).filter((zone) => zoneLook(zone).tone !== undefined);
  if (shown.length === 0) return null;
  return (
    <section class="stack tight">
      <h2>{t("home.zones")}</h2>
      <ul class="tiles">
        {shown.map((zone) => (
          <li key={zone.id}>
            <ZoneTile zone={zone} href={`#/zones?zone=${encodeURIComponent(zone.id)}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Reasons that are neither an intervention nor a zone above, then the open conditions with their remedies. */
function Reasons({ now: { headline, conditions } }: { readonly now: StatusView }) {
  const listed = headline.reasons.filter(({ code, items }) => items.length === 0 && !code.startsWith("cond"));
  if (listed.length + conditions.length === 0 || hasOnlyNoZones(headline.reasons)) return null;
  return (
    <section class="stack tight">
      <h2>{t("home.attention")}</h2>
      <ul class="conditions stack tight">
        {listed.map(({ code, level, count }) => (
          <li key={code} class={`box s-${LEVEL_TONES[level]}`}>
            <p class="row">
              <Icon name={TONE_ICONS[LEVEL_TONES[level]]} />
              <strong class="grow">{t(`reason.${code}`, { n: count })}</strong>
            </p>
          </li>
        ))}
        {conditions.map((condition) => (
          <OpenCondition key={`${condition.code}/${condition.subject}`} condition={condition} />
        ))}
      </ul>
    </section>
  );
}

function OpenCondition({ condition }: { readonly condition: Condition }) {
  const { code, severity, title, since } = condition;
  const tone = severity === "error" ? "fault" : "attention";
  return (
    <li class={`box s-${tone}`}>
      <p class="row">
        <Icon name={TONE_ICONS[tone]} />
        <strong class="grow">{tCode("condition", code, title)}</strong>
        <span class="quiet">{t("status.since", { time: formatTime(since) })}</span>
      </p>
      <ConditionText condition={condition} />
    </li>
  );
}
