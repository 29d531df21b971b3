import { useId, useRef } from "preact/hooks";
import { LINK_CONDITIONS } from "../link-conditions.ts";
import type { HeadlineItem, HeadlineLevel, HeadlineReason } from "../../domain/headline.ts";
import type { ZoneKind } from "../../domain/zone.ts";
import type { StatusView } from "../../site/status-view.ts";
import { LEVEL_TONES, TONE_ICONS } from "../badge.tsx";
import { hasMoreTexts, t, translateCode, withMoreTexts } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import type { IconName } from "../icons.ts";
import { JourneyCard } from "../journey-card.tsx";
import { LazyScreen, StateUnknown } from "../lazy-screen.tsx";
import { status, zones } from "../live-updates.ts";
import { formatTime } from "../date-format.ts";
import { mayAdminister, mayOperate } from "../session.ts";
import { byUrgency, kindIcon, zoneAppearance } from "../zone-appearance.ts";
import { ZoneTile } from "../zone-tile.tsx";

/* What is not needed to see whether something is wrong comes after it. */
const reasons = () => withMoreTexts(import("./home-reasons.tsx")).then((part) => part.HomeReasons);
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

/** The headline with the reasons of its level; the daemon has computed it. A screen reader is interrupted only for one more alarm. */
function Hero({ now }: { readonly now: StatusView }) {
  const { headline, journeys, role } = now;
  const { level, reasons, planned } = headline;
  const title = useId();
  const beginning = beginningOf(reasons);
  // The journeys begin with the worst.
  const first = journeys.find(({ isAlarm }) => isAlarm);
  const id = first?.interventionId ?? null;
  const kind = first ? (first.zone?.kind ?? null) : kindOfOpenZone(reasons);
  const alarms = alarmCount(reasons);
  const last = useRef<{ alarms: number; live: "polite" | "assertive" }>({ alarms, live: "polite" });
  if (alarms !== last.current.alarms)
    last.current = { alarms, live: alarms > last.current.alarms ? "assertive" : "polite" };
  return (
    <section class={`hero s-${LEVEL_TONES[level]}`} aria-live={last.current.live} aria-labelledby={title}>
      <span class="disc">
        <Icon name={beginning ? "layout-grid" : heroIcon(level, kind)} />
      </span>
      <h1 id={title}>{beginning ? t(`reason.${beginning}`) : heroTitle(now, kind)}</h1>
      <p>
        {level === "well"
          ? role === "centre"
            ? t("home.noneUnfinished")
            : t("home.allNormal", { n: zones.value.length })
          : reasons
              .filter((reason) => reason.level === level && !beginning && hasText(reason))
              .map(reasonText)
              .join(" · ")}
        {planned > 0 && <span> · {t("headline.planned", { n: planned })}</span>}
      </p>
      <LazyScreen load={lacking} isPart />
      {mayAdminister() &&
        reasons.map(({ code }) =>
          isBeginning(code) ? (
            <div key={code} class="actions">
              <a class="button" href={BEGINNINGS[code].address}>
                {t(BEGINNINGS[code].action)}
              </a>
            </div>
          ) : null,
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

/** What is wrong: the kind of the worst alarm with the number of the others, or since when the centre is offline. */
function heroTitle({ headline: { level, reasons }, conditions }: StatusView, kind: ZoneKind | null): string {
  if (level === "alarm" && kind !== null) {
    const more = alarmCount(reasons) - 1;
    const title = translateCode("alarm", kind, t("alarm.intrusion"));
    return more > 0 ? `${title} ${t("headline.more", { n: more })}` : title;
  }
  const offline = conditions.find(({ code, severity }) => severity === "error" && LINK_CONDITIONS.has(code));
  if (level === "fault" && offline) return t("home.offline", { time: formatTime(offline.since) });
  return t(`headline.${level}`);
}

function alarmCount(reasons: readonly HeadlineReason[]): number {
  return reasons.filter(({ code }) => code.startsWith("alarm")).reduce((n, { count }) => n + count, 0);
}

/** The kind of the first zone that is open while armed, life safety first. */
function kindOfOpenZone(reasons: readonly HeadlineReason[]): ZoneKind | null {
  const [first] = reasons.find(({ code }) => code === "zone-open")?.items ?? [];
  return zones.value.find(({ id }) => id === first?.id)?.kind ?? null;
}

/** The texts of reasons about sites, which only a dispatch centre has, are loaded later. */
function hasText({ code }: HeadlineReason): boolean {
  return hasMoreTexts() || !code.startsWith("site");
}

/** A reason with the names of what it is about, if these are few. The names of conditions are loaded later. */
function reasonText({ code, count, items }: HeadlineReason): string {
  const text = t(`reason.${code}`, { n: count });
  if (!hasMoreTexts() && items.some(({ about }) => about === "condition")) return text;
  return count > 2 || items.length === 0 ? text : `${text}: ${items.map(itemName).join(", ")}`;
}

function itemName({ about, id, name }: HeadlineItem): string {
  return about === "condition" ? translateCode("condition", id, name) : name;
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
