import { useEffect } from "preact/hooks";
import type { WalkTestView } from "../../site/zone-view.ts";
import { Badge } from "../badge.tsx";
import { formatClock, formatDay, formatTime } from "../date-format.ts";
import { originText } from "../event-detail-texts.ts";
import { t, translateCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { status, zones } from "../live-updates.ts";
import { Table, type Column } from "../table.tsx";

type Tested = WalkTestView["zones"][number];

/**
 * The report of the last walk test for the customer: site, time, tester, each zone and a place for two signatures. The browser
 * prints it alone on the page, in light colours.
 */
export function WalkReport({ test }: { readonly test: WalkTestView }) {
  const tested = test.zones.filter(({ trips }) => trips > 0).length;
  const timezone = status.value?.site.timezone;
  const untested = test.zones.length - tested;
  useEffect(printInLight, []);
  return (
    <section class="card report">
      <div class="head">
        <h2 class="grow">{t("walk.report")}</h2>
        <button type="button" class="no-print" onClick={() => print()}>
          <Icon name="printer" />
          {t("walk.print")}
        </button>
      </div>
      <dl class="facts">
        <dt>{t("guide.site")}</dt>
        <dd>{status.value?.site.name}</dd>
        <dt>{t("walk.period")}</dt>
        <dd>
          {periodText(test)}
          {timezone === undefined ? "" : ` (${timezone})`}
        </dd>
        <dt>{t("walk.by")}</dt>
        <dd>{originText(test.who)}</dd>
        <dt>{t("walk.result")}</dt>
        <dd class="row">
          {tested > 0 && <Badge tone="fine">{t("walk.testedZones", { n: tested })}</Badge>}
          {untested > 0 && <Badge tone="attention">{t("walk.untestedZones", { n: untested })}</Badge>}
        </dd>
      </dl>
      <Table caption={t("walk.report")} columns={columns()} rows={test.zones} keyOf={({ id }) => id} />
      <div class="signatures">
        <p>{t("walk.installer")}</p>
        <p>{t("walk.customer")}</p>
      </div>
      <p class="quiet">{`Santinela ${status.value?.version ?? ""}`}</p>
    </section>
  );
}

/** With the day: the report is kept, and signed. */
function periodText({ since, ended }: WalkTestView): string {
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

function columns(): Column<Tested>[] {
  const zone = (id: string) => zones.value.find((one) => one.id === id);
  return [
    { key: "name", title: t("record.name"), isLead: true, cell: ({ id }) => zone(id)?.name ?? id },
    {
      key: "kind",
      title: t("zones.kind"),
      cell: ({ id }) => translateCode("choice.zone-kind", zone(id)?.kind ?? "", "–"),
    },
    { key: "last", title: t("walk.last"), isShort: true, cell: ({ last }) => formatTime(last) },
    { key: "trips", title: t("walk.trips"), isShort: true, cell: ({ trips }) => `×${trips}` },
    {
      key: "result",
      title: t("walk.result"),
      cell: ({ trips }) => (
        <Badge tone={trips > 0 ? "fine" : "attention"}>{t(trips > 0 ? "walk.yes" : "walk.no")}</Badge>
      ),
    },
  ];
}
