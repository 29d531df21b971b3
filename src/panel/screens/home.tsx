import { useId, useRef } from "preact/hooks";
import type { HeadlineLevel, HeadlineReason } from "../../domain/headline.ts";
import type { StatusView } from "../../site/status-view.ts";
import { LEVEL_TONES, TONE_ICONS } from "../badge.tsx";
import { alarmCount, firstAlarm, headlineTitle, worstZone } from "../headline-words.ts";
import { t, withMoreTexts } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import type { IconName } from "../icons.ts";
import { JourneyCard } from "../journey-card.tsx";
import { LazyScreen, StateUnknown } from "../lazy-screen.tsx";
import { status, zones } from "../live-updates.ts";
import { mayAdminister, mayOperate } from "../session.ts";
import { byUrgency, kindIcon, zoneAppearance } from "../zone-appearance.ts";
import { ZoneTile } from "../zone-tile.tsx";

/* What is not needed to see whether something is wrong comes after it. */
const reasons = () => withMoreTexts(import("./home-reasons.tsx")).then((part) => part.HomeReasons);
const detail = () => withMoreTexts(import("./home-detail.tsx")).then((part) => part.HeadlineDetail);
const further = () => withMoreTexts(import("./home-detail.tsx")).then((part) => part.FurtherActions);
const lacking = () => withMoreTexts(import("./home-reasons.tsx")).then((part) => part.AlarmsLacking);
const aside = () => withMoreTexts(import("./home-aside.tsx")).then((part) => part.HomeAside);
const latest = () => withMoreTexts(import("./latest-events.tsx")).then((events) => events.LatestEvents);

/** The truth about the site: its headline, each unfinished intervention, the zones that are not normal. */
export function HomeScreen() {
  const now = status.value;
  if (!now) return <StateUnknown />;
  const alarms = now.journeys.filter(({ isAlarm }) => isAlarm);
  const work = now.journeys.filter(({ isAlarm }) => !isAlarm);
  return (
    <>
      <Hero now={now} />
      <div class="split">
        <div class="stack">
          <Journeys title={t("home.alarms")} journeys={alarms} />
          <ZonesNotNormal />
          <LazyScreen load={reasons} isPart />
          <Journeys title={t("home.work")} journeys={work} />
        </div>
        <div class="stack">
          <LazyScreen load={aside} isPart />
          {mayOperate() && <LazyScreen load={latest} isPart />}
        </div>
      </div>
    </>
  );
}

/** The headline: what is wrong, where and since when; the daemon has computed it. A screen reader is interrupted only for one more alarm. */
function Hero({ now }: { readonly now: StatusView }) {
  const { level, reasons, planned } = now.headline;
  const title = useId();
  const beginning = beginningOf(reasons);
  const alarms = alarmCount(reasons);
  const last = useRef<{ alarms: number; live: "polite" | "assertive" }>({ alarms, live: "polite" });
  if (alarms !== last.current.alarms)
    last.current = { alarms, live: alarms > last.current.alarms ? "assertive" : "polite" };
  return (
    <section class={`hero s-${LEVEL_TONES[level]}`} aria-live={last.current.live} aria-labelledby={title}>
      <span class="disc">
        <Icon name={beginning ? "layout-grid" : heroIcon(level, worstZone(now)?.kind ?? null)} />
      </span>
      <h1 id={title}>{beginning ? t(`reason.${beginning}`) : headlineTitle(now)}</h1>
      <p>
        {level === "well" && wellText(now)}
        {level !== "well" && !beginning && <LazyScreen load={detail} isPart />}
        {planned > 0 && <span> · {t("headline.planned", { n: planned })}</span>}
      </p>
      <LazyScreen load={lacking} isPart />
      <HeroActions now={now} />
    </section>
  );
}

function wellText({ role }: StatusView): string {
  return role === "centre" ? t("home.noneUnfinished") : t("home.allNormal", { n: zones.value.length });
}

/** Of an alarm its intervention, of a new installation where it begins; what else can be done is loaded later. */
function HeroActions({ now: { headline, journeys } }: { readonly now: StatusView }) {
  const id = firstAlarm(journeys)?.interventionId ?? null;
  return (
    <div class="actions">
      {mayAdminister() &&
        headline.reasons.map(({ code }) =>
          isBeginning(code) ? (
            <a key={code} class="button" href={BEGINNINGS[code].address}>
              {t(BEGINNINGS[code].action)}
            </a>
          ) : null,
        )}
      {id !== null && mayOperate() && (
        <a class="button" href={`#/interventions/${id}`}>
          {t("home.open", { id })}
        </a>
      )}
      <LazyScreen load={further} isPart />
    </div>
  );
}

/** What a new site or dispatch centre lacks, and where an administrator begins. */
const BEGINNINGS = {
  "no-zones": { action: "zones.addFirst", address: "#/zones/found" },
  "no-sites": { action: "sites.enrolFirst", address: "#/sites?open=invite" },
} as const;
type Beginning = keyof typeof BEGINNINGS;

function isBeginning(code: string): code is Beginning {
  return code in BEGINNINGS;
}

/** The only reason, if it is what a new installation lacks: that is the headline, and needs no card of its own. */
export function beginningOf(reasons: readonly HeadlineReason[]): Beginning | undefined {
  const [first] = reasons;
  return reasons.length === 1 && first && isBeginning(first.code) ? first.code : undefined;
}

function heroIcon(level: HeadlineLevel, kind: Parameters<typeof kindIcon>[0]): IconName {
  if (level === "alarm") return kindIcon(kind, true);
  return level === "well" ? "shield-check" : TONE_ICONS[LEVEL_TONES[level]];
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
  const shown = byUrgency(zones.value).filter((zone) => zoneAppearance(zone).tone !== undefined);
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
