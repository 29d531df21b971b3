import type { ShownPhase } from "../domain/shown-phase.ts";
import type { ComparisonView, LinkView, SyncRecordStatus } from "../site/sync-view.ts";
import { Badge, type Tone } from "./badge.tsx";
import { formatNarrow } from "./date-format.ts";
import { t } from "./i18n.ts";
import { Icon } from "./icon.tsx";

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
  const text = t(`phase.${phase}`);
  if (needsAttention(phase)) return <Badge tone="fault">{text}</Badge>;
  // Given up: nothing is waited for.
  if (phase === "closed") return <Badge tone="off">{text}</Badge>;
  return (
    <Badge tone="attention" {...(phase === "doubtful" ? {} : { icon: "hourglass" })}>
      {text}
    </Badge>
  );
}

/** What the dispatch centre has of a record: its id there; while it waits, the next attempt and its time. */
export function AtCentre({ record }: { readonly record: SyncRecordStatus }) {
  const { phase, upstreamId, isSynced, attempts, nextAttemptAt } = record;
  const id = upstreamId === null ? [] : [t("sync.number", { id: upstreamId })];
  // Given up: the dispatch centre has deleted it, or never had it.
  if (phase === "closed")
    return <Badge tone="off">{t(upstreamId === null ? "sync.notSent" : "phase.closed")}</Badge>;
  if (isSynced)
    return id.length === 0 ? (
      <Badge tone="off">{t("sync.notSent")}</Badge>
    ) : (
      <span class="word s-fine at-centre">
        <Icon name="check" />
        <span>{id}</span>
      </span>
    );
  const attempt = attempts === 0 ? undefined : t("journey.attempt", { n: attempts + 1 });
  // One that was never there waits for nothing else.
  const isNew = phase === "new" && attempt !== undefined;
  const facts = needsAttention(phase)
    ? id
    : [
        ...id,
        ...(attempt === undefined || isNew ? [] : [attempt]),
        ...(nextAttemptAt === null ? [] : [t("sync.again", { time: formatNarrow(nextAttemptAt) })]),
      ];
  return (
    <span class="at-centre">
      {isNew ? (
        <Badge tone="attention" icon="hourglass">
          {attempt}
        </Badge>
      ) : (
        <SyncBadge phase={phase} />
      )}
      {facts.length > 0 && <small class="quiet">{facts.join(" · ")}</small>}
    </span>
  );
}

/** Whether a record needs attention. */
export function needsAttention(phase: ShownPhase): boolean {
  return ["blocked", "rejected", "gone", "out-of-scope"].includes(phase);
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
