import { useEffect } from "preact/hooks";
import type { SiteLevel } from "../../generated/types.ts";
import { useQuery, type QueryState } from "../api.ts";
import { Badge, LEVEL_TONES } from "../badge.tsx";
import { everyShown } from "../clock.ts";
import { t } from "../i18n.ts";
import { journalVersion } from "../live-updates.ts";

/** The reports of sites write no events, so the live updates say nothing about them. */
const REFRESH_EVERY_MS = 10_000;

/** What sites have reported, kept up to date while the page is visible. */
export function useReports<T>(path: string): QueryState<T> {
  const query = useQuery<T>(path, journalVersion.value);
  const refresh = (): void => {
    if (!document.hidden) query.refresh();
  };
  useEffect(() => everyShown(REFRESH_EVERY_MS, refresh), []);
  return query;
}

export function LevelBadge({ level }: { readonly level: SiteLevel }) {
  return <Badge tone={LEVEL_TONES[level]}>{t(`headline.${level}`)}</Badge>;
}

/** The address of the list of the interventions of a site. @param ref its reference */
export function interventionsOf(ref: string): string {
  return `#/interventions?site=${encodeURIComponent(ref)}`;
}
