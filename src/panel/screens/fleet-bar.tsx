import "../fleet-bar.css";
import type { FleetSummary, SiteLevel } from "../../generated/types.ts";
import { LEVEL_TONES, TONE_ICONS } from "../badge.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { route, setQuery } from "../route.ts";

const LEVELS: readonly SiteLevel[] = ["alarm", "fault", "attention", "well"];
/** Width of the bar in SVG units. */
const WIDTH = 1_000;
/** One alarm among ten thousand sites is seen too. */
const SHARE_MIN = 0.01;

/** The fleet in one look: the share of each level, and the chips that are its legend and filter the list. */
export function FleetBar({ summary }: { readonly summary: FleetSummary }) {
  const { level = "", silent = "" } = route.value.query;
  const total = LEVELS.reduce((sum, one) => sum + summary[one], 0);
  if (total === 0) return null;
  const show = (change: { readonly level?: SiteLevel; readonly silent?: "1" }): void =>
    setQuery({ level: "", silent: "", start: "", ...change });
  return (
    <section class="card tight fleet" aria-label={t("sites.all")}>
      <Bar summary={summary} total={total} />
      <div class="chips" role="group" aria-label={t("sites.level")}>
        <button type="button" aria-pressed={level === "" && silent === ""} onClick={() => show({})}>
          {t("sites.count.all", { n: total })}
        </button>
        {LEVELS.filter((one) => summary[one] > 0 || one === level).map((one) => (
          <button
            type="button"
            key={one}
            class={`s-${LEVEL_TONES[one]}`}
            aria-pressed={level === one}
            onClick={() => show({ level: one })}
          >
            <Icon name={TONE_ICONS[LEVEL_TONES[one]]} />
            {t(`sites.count.${one}`, { n: summary[one] })}
          </button>
        ))}
        {(summary.silent > 0 || silent !== "") && (
          <button
            type="button"
            class="s-off"
            aria-pressed={silent === "1"}
            onClick={() => show({ silent: "1" })}
          >
            <Icon name="unlink" />
            {t("sites.count.silent", { n: summary.silent })}
          </button>
        )}
      </div>
    </section>
  );
}

/** The levels beside each other; silent sites, which have a level too, as a line of their own below. */
function Bar({ summary, total }: { readonly summary: FleetSummary; readonly total: number }) {
  const weightOf = (one: SiteLevel | "silent"): number =>
    summary[one] === 0 ? 0 : Math.max(summary[one], total * SHARE_MIN);
  const all = LEVELS.reduce((sum, one) => sum + weightOf(one), 0);
  const widthOf = (one: SiteLevel | "silent"): number => (weightOf(one) / all) * WIDTH;
  const text = [...LEVELS, "silent" as const]
    .filter((one) => summary[one] > 0)
    .map((one) => t(`sites.count.${one}`, { n: summary[one] }))
    .join(", ");
  return (
    <svg viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      {LEVELS.map((one, place) => (
        <rect
          key={one}
          class={`s-${LEVEL_TONES[one]}`}
          x={LEVELS.slice(0, place).reduce((sum, before) => sum + widthOf(before), 0)}
          y={0}
          width={widthOf(one)}
          height={14}
        />
      ))}
      <rect class="s-off" x={0} y={16} width={widthOf("silent")} height={4} />
    </svg>
  );
}
