import type { ShownPhase } from "../domain/shown-phase.ts";
import type { ComparisonView, LinkView } from "../http/site/sync-port.ts";
import { Badge, type Tone } from "./badge.tsx";
import { t } from "./i18n.ts";

/** How good each state of the link is. */
export const LINK_TONES: Readonly<Record<LinkView["state"], Tone>> = {
  none: "quiet",
  unknown: "quiet",
  up: "good",
  down: "bad",
};

/** How far a record is on its way; one that is not in the queue has arrived. */
export function SyncBadge({ phase }: { readonly phase: ShownPhase | undefined }) {
  if (phase === undefined) return <Badge tone="good">{t("sync.arrived")}</Badge>;
  return (
    <Badge tone={isStuck(phase) ? "bad" : phase === "doubtful" ? "warn" : "quiet"}>
      {t(`phase.${phase}`)}
    </Badge>
  );
}

/** Whether a record waits for a person. */
export function isStuck(phase: ShownPhase): boolean {
  return phase === "blocked" || phase === "rejected" || phase === "gone";
}

/** How many records should be at the centre and how many are. */
export function ComparisonBadge({ comparison }: { readonly comparison: ComparisonView | null }) {
  if (comparison === null) return <Badge tone="quiet">{t("compared.none")}</Badge>;
  const { here, there, differing } = comparison;
  const isSame = differing === 0;
  return (
    <Badge tone={isSame ? "good" : "warn"}>
      {t(isSame ? "compared.same" : "compared.differs", { here, there })}
    </Badge>
  );
}
