import "../print.css";
import "../facts.css";
import { useEffect } from "preact/hooks";
import type { WalkTestZone } from "../../domain/walk-test.ts";
import type { WalkTestView } from "../../site/zone-view.ts";
import { Badge } from "../badge.tsx";
import { formatClock } from "../date-format.ts";
import { formatDay } from "../day-format.ts";
import { originText } from "../event-detail-texts.ts";
import { t, translateCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { status } from "../live-updates.ts";
import { Table, type Column } from "../table.tsx";

/** The result of a test as its report shows it. */
type ReportedTest = Pick<
  WalkTestView,
  "number" | "site" | "who" | "since" | "ended" | "endedBy" | "sha256" | "zones"
>;

/**
 * The report of a walk test for the customer: number, site, time, tester, each zone, the hash of the stored result and a place for two
 * signatures. The browser prints it alone on the page, in light colours.
 */
export function WalkReport({ test }: { readonly test: ReportedTest }) {
  const tested = test.zones.filter(({ passed }) => passed).length;
  const timezone = status.value?.site.timezone;
  const untested = test.zones.length - tested;
  useEffect(printInLight, []);
  return (
    <section class="card report">
      <div class="head">
        <h2 class="grow">{t("walk.reportNumber", { number: test.number })}</h2>
        <button type="button" class="no-print" onClick={() => print()}>
          <Icon name="printer" />
          {t("walk.print")}
        </button>
      </div>
      <dl class="facts">
        <dt>{t("guide.site")}</dt>
        <dd>{`${test.site.name} (${test.site.ref})`}</dd>
        <dt>{t("walk.period")}</dt>
        <dd>
          {periodText(test)}
          {timezone === undefined ? "" : ` (${timezone})`}
        </dd>
        <dt>{t("walk.by")}</dt>
        <dd>{originText(test.who)}</dd>
        <EndedBy test={test} />
        <dt>{t("walk.result")}</dt>
        <dd class="row">
          {tested > 0 && <Badge tone="fine">{t("walk.testedZones", { n: tested })}</Badge>}
          {untested > 0 && <Badge tone="attention">{t("walk.untestedZones", { n: untested })}</Badge>}
        </dd>
      </dl>
      <Table caption={t("walk.report")} columns={columns()} rows={test.zones} keyOf={({ id }) => id} />
      {test.sha256 !== null && (
        <p class="quiet hash">
          {t("walk.hash", { number: test.number })} <code>{test.sha256}</code>
        </p>
      )}
      <div class="signatures">
        <p>{t("walk.installer")}</p>
        <p>{t("walk.customer")}</p>
      </div>
      <p class="quiet">{`Santinela ${status.value?.version ?? ""}`}</p>
    </section>
  );
}

/** Only if it was not who started it. */
function EndedBy({ test: { who, endedBy } }: { readonly test: ReportedTest }) {
  if (endedBy === null || endedBy === who) return null;
  return (
    <>
      <dt>{t("walk.endedBy")}</dt>
      <dd>{endedBy === "santinela" ? t("walk.timeOver") : originText(endedBy)}</dd>
    </>
  );
}

/** With the day: the report is kept, and signed. */
function periodText({ since, ended }: ReportedTest): string {
  const start = `${formatDay(since)}, ${formatClock(since)}`;
  if (ended === null) return `${start} – `;
  const isSameDay = formatDay(ended) === formatDay(since);
  return `${start} – ${isSameDay ? "" : `${formatDay(ended)}, `}${formatClock(ended)}`;
}

/** Paper is white, whatever the theme. @returns ends this */
function printInLight(): () => void {
  const { dataset } = document.documentElement;
  let shown = dataset["theme"];
  const toLight = (): void => {
    shown = dataset["theme"];
    dataset["theme"] = "light";
  };
  const back = (): void => {
    dataset["theme"] = shown;
  };
  addEventListener("beforeprint", toLight);
  addEventListener("afterprint", back);
  return () => {
    removeEventListener("beforeprint", toLight);
    removeEventListener("afterprint", back);
  };
}

function columns(): Column<WalkTestZone>[] {
  const time = (at: string | null): string => (at === null ? "–" : formatClock(at));
  return [
    { key: "name", title: t("record.name"), isLead: true, cell: ({ name }) => name },
    { key: "kind", title: t("zones.kind"), cell: ({ kind }) => translateCode("choice.zone-kind", kind) },
    { key: "first", title: t("walk.first"), isShort: true, cell: ({ first }) => time(first) },
    { key: "last", title: t("walk.last"), isShort: true, cell: ({ last }) => time(last) },
    { key: "trips", title: t("walk.trips"), isShort: true, cell: ({ trips }) => `×${trips}` },
    {
      key: "result",
      title: t("walk.result"),
      cell: ({ passed, bypassed }) => (
        <Badge tone={passed ? "fine" : bypassed ? "off" : "attention"}>
          {t(passed ? "walk.yes" : bypassed ? "walk.noBypassed" : "walk.no")}
        </Badge>
      ),
    },
  ];
}
