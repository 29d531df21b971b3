import "../zone-groups.css";
import { useState } from "preact/hooks";
import { t } from "../i18n.ts";
import { zones } from "../live-updates.ts";
import { useObjectiveNames } from "../objective-names.ts";
import { mayOperate } from "../session.ts";
import type { ZoneView } from "../../site/zone-view.ts";
import { zoneAppearance } from "../zone-appearance.ts";
import { Tiles } from "./zones.tsx";

/** The zones at rest by their objective, folded: a site with many zones is found by what is wrong, then by place. */
export function ZoneGroups() {
  // A viewer may not read the objectives.
  const resting = zones.value.filter((zone) => zoneAppearance(zone).tone === undefined);
  const nameOf = useObjectiveNames(mayOperate() ? resting.map(locationOf) : []);
  const groups = new Map<string, ZoneView[]>();
  for (const zone of resting) {
    const key = objectiveOf(zone);
    groups.set(key, [...(groups.get(key) ?? []), zone]);
  }
  // Decided once: a group must not close under its reader when the zones of another objective return to rest.
  const [isOnly] = useState(() => new Set(zones.value.map(objectiveOf)).size === 1);
  return (
    <section class="stack tight" aria-label={t("zones.byObjective")}>
      {[...groups].map(([key, group]) => (
        <details key={key} class="card" data-objective={key} open={isOnly}>
          <summary>
            {group[0] && nameOf(locationOf(group[0]))}{" "}
            <span class="quiet">{t("zones.resting", { n: group.length })}</span>
          </summary>
          <Tiles zones={group} />
        </details>
      ))}
    </section>
  );
}

function objectiveOf({ objective: { type, id } }: ZoneView): string {
  return `${type}/${id}`;
}

function locationOf({ objective }: ZoneView): {
  objectiveType: ZoneView["objective"]["type"];
  objectiveId: number;
} {
  return { objectiveType: objective.type, objectiveId: objective.id };
}
