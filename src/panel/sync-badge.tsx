import type { ShownPhase } from "../domain/shown-phase.ts";
import type { ComparisonView, LinkView } from "../site/sync-view.ts";
import { Badge, type Tone } from "./badge.tsx";
import { t } from "./i18n.ts";

/** The tone of each link state. */
export const LINK_TONES: Readonly<Record<LinkView["state"], Tone>> = {
  none: "off",
  unknown: "off",
  up: "fine",
  down: "fault",
};

/** The sync phase of a record; a record without a queue entry is synced. */
export function SyncBadge({ phase }: { readonly phase: ShownPhase | undefined }) {
  if (phase === undefined) return <Badge tone="fine">{t("sync.synced")}</Badge>;
  return (
    <Badge tone={needsAttention(phase) ? "fault" : phase === "doubtful" ? "attention" : "off"}>
      {t(`phase.${phase}`)}
    </Badge>
  );
}

/** Whether a record needs attention. */
export function needsAttention(phase: ShownPhase): boolean {
  return phase === "blocked" || phase === "rejected" || phase === "gone";
}

/** Result of the comparison with the dispatch centre. */
export function ComparisonBadge({ comparison }: { readonly comparison: ComparisonView | null }) {
  if (comparison === null) return <Badge tone="off">{t("compared.none")}</Badge>;
  const { here, there, differing } = comparison;
  const isSame = differing === 0;
  return (
    <Badge tone={isSame ? "fine" : "attention"}>
      {t(isSame ? "compared.same" : "compared.differs", { here, there })}
    </Badge>
  );
}
