import type { WalkTestView } from "../../site/zone-view.ts";
import { Badge } from "../badge.tsx";
import { formatTime } from "../date-format.ts";
import { t, tCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { status, zones } from "../live-updates.ts";
import { Table, type Column } from "../table.tsx";

type Tested = WalkTestView["zones"][number];

/** The report of the last walk test, with each zone and a place for two signatures; the browser prints it. */
export function WalkReport({ test }: { readonly test: WalkTestView }) {
  const tested = test.zones.filter(({ trips }) => trips > 0).length;
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
        <dt>{t("record.status")}</dt>
        <dd>{t("walk.tested", { tested, n: test.zones.length })}</dd>
      </dl>
      <p>{t("walk.ended", { who: test.who, from: formatTime(test.since), to: formatTime(test.ended) })}</p>
      <Table caption={t("walk.report")} columns={columns()} rows={test.zones} keyOf={({ id }) => id} />
      <div class="signatures">
        <p>{t("walk.installer")}</p>
        <p>{t("walk.customer")}</p>
      </div>
      <p class="quiet">{`Santinela ${status.value?.version ?? ""} · ${status.value?.site.timezone ?? ""}`}</p>
    </section>
  );
}

function columns(): Column<Tested>[] {
  const zone = (id: string) => zones.value.find((one) => one.id === id);
  return [
    { key: "name", title: t("record.name"), isLead: true, cell: ({ id }) => zone(id)?.name ?? id },
    {
      key: "kind",
      title: t("zones.kind"),
      cell: ({ id }) => tCode("choice.zone-kind", zone(id)?.kind ?? "", "–"),
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
