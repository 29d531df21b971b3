import "../facts.css";
import { useState } from "preact/hooks";
import type { SiteDetail, SiteView } from "../../generated/types.ts";
import { Act } from "../act.tsx";
import { request } from "../api.ts";
import { BackLink } from "../back-link.tsx";
import { formatTime } from "../date-format.ts";
import { formatDuration } from "../duration.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { apiPath } from "../http.ts";
import { language, t, translateCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { Pending, runWithErrorNotice, showNotice } from "../notice.tsx";
import { formatNumber } from "../number-format.ts";
import { goFrom, listOf, route } from "../route.ts";
import { mayAdminister } from "../session.ts";
import { Table } from "../table.tsx";
import { SiteInterventions } from "./site-interventions.tsx";
import { interventionsOf, LevelBadge, useReports } from "./site-level.tsx";
import { troublesOf } from "./site-troubles.ts";

/** One site with its last report and its newest changes. */
export function Site({ id }: { readonly id: string }) {
  const path = apiPath(`/sites/${encodeURIComponent(id)}`);
  const { response, error, reload } = useReports<SiteDetail>(path);
  if (!response)
    return (
      <>
        <h1>{t("nav.sites")}</h1>
        <Pending error={error} reload={reload} />
        <BackLink href={listOf("sites")} text={t("nav.sites")} />
      </>
    );
  const { site, history } = response.body;
  const { report, interventionId } = site;
  const troubles = troublesOf(site);
  return (
    <>
      <BackLink href={listOf("sites")} text={t("nav.sites")} />
      <div class="head">
        <h1>{report.name}</h1>
        <LevelBadge level={site.level} />
      </div>
      <section class="card">
        {troubles.length > 0 && (
          <ul class="conditions">
            {troubles.map((trouble) => (
              <li key={trouble}>{trouble}</li>
            ))}
          </ul>
        )}
        <p class="row">
          {interventionId !== null && (
            <a class="button" href={`#/interventions/${interventionId}`}>
              {t("sites.repair", { id: interventionId })}
            </a>
          )}
          <a class="button" href={interventionsOf(report.ref)}>
            <Icon name="siren" />
            {t("nav.interventions")}
          </a>
        </p>
        <Facts detail={response.body} />
      </section>
      <SiteInterventions site={site} />
      <section class="card">
        <h2>{t("sites.history")}</h2>
        <Table
          caption={t("sites.history")}
          columns={[
            {
              key: "at",
              title: t("sites.at"),
              isLead: true,
              cell: ({ at }) => formatTime(at),
            },
            { key: "event", title: t("sites.change"), cell: eventText },
          ]}
          rows={history.map((event, index) => ({ ...event, index }))}
          keyOf={({ index }) => index}
        />
      </section>
      {mayAdminister() && <Removal site={site} />}
    </>
  );
}

/** Takes a site that no longer exists off the list, after a confirmation. */
function Removal({ site: { id, interventionId, report } }: { readonly site: SiteView }) {
  const [isAsking, setAsking] = useState(false);
  const remove = async (): Promise<void> => {
    await runWithErrorNotice(async () => {
      const here = route.value;
      await request(apiPath(`/sites/${id}`), { method: "DELETE" });
      goFrom(here, listOf("sites"));
      showNotice(t("sites.removed", { name: report.name }));
    });
  };
  return (
    <>
      <p>
        <Act class="danger" onClick={() => setAsking(true)}>
          {t("sites.remove")}
        </Act>
      </p>
      {isAsking && (
        <ConfirmDialog
          title={t("sites.removeTitle", { name: report.name })}
          action={t("sites.removeDo")}
          isDanger
          act={remove}
          close={() => setAsking(false)}
        >
          <p>{t("sites.removeText")}</p>
          {interventionId !== null && <p>{t("sites.removeRepair", { id: interventionId })}</p>}
        </ConfirmDialog>
      )}
    </>
  );
}

function eventText({ event, detail }: SiteDetail["history"][number]): string {
  const words = event === "level" || event === "first-report" ? translateCode("headline", detail) : detail;
  return translateCode(`sites.event`, event, event, { detail: words });
}

/** Exact: 90 seconds are not two minutes. */
function silenceText(silentS: number): string {
  return silentS < 120 ? t("span.seconds", { n: silentS }) : formatDuration(silentS);
}

function Facts({ detail: { site, silentS } }: { readonly detail: SiteDetail }) {
  const { report, reportedAt, clockOffsetMs } = site;
  const facts: (readonly [string, string])[] = [
    [t("sites.ref"), report.ref],
    [t("sites.reported"), formatTime(reportedAt)],
    [t("sites.silentAfter"), silenceText(silentS)],
    [t("sites.version"), report.version],
    [t("sites.uptime"), formatDuration(report.upS)],
    [t("sites.clock"), `${formatNumber(clockOffsetMs / 1000, language.value, 1)} s`],
  ];
  if (report.diskFreeMb !== undefined)
    facts.push([t("sites.disk"), `${formatNumber(report.diskFreeMb, language.value)} MB`]);
  if (report.cardWear !== undefined) facts.push([t("sites.wear"), `${report.cardWear} %`]);
  return (
    <dl class="facts">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
