import { useState } from "preact/hooks";
import type { ObjectiveType } from "../../generated/types.ts";
import type { ObjectiveDifferenceView, ObjectivesView } from "../../site/sync-view.ts";
import { Act } from "../act.tsx";
import { request, useQuery } from "../api.ts";
import { DaemonText } from "../daemon-text.tsx";
import { t } from "../i18n.ts";
import { formatTime } from "../date-format.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { Pending } from "../notice.tsx";
import { Table, type Column } from "../table.tsx";

/** Age of the objective mirror, and differences between local objectives and the dispatch centre. */
export function ObjectiveMirrorStatus({
  type,
  onLoaded,
}: {
  readonly type: ObjectiveType;
  readonly onLoaded: () => void;
}) {
  const [version, setVersion] = useState(0);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, run] = useErrorMessage();
  const { response, error, reload } = useQuery<ObjectivesView>("/site/objectives", version);
  if (!response && error) return <Pending error={error} reload={reload} />;
  const list = response?.body.lists.find((one) => one.type === type);
  if (!response || response.body.centre === null || !list) return null;
  const loadNow = async (): Promise<void> => {
    setIsBusy(true);
    await run(async () => void (await request("/site/objectives/pull", { method: "POST" })));
    setIsBusy(false);
    setVersion((last) => last + 1);
    onLoaded();
  };
  const differences = response.body.differences.filter((one) => one.type === type);
  return (
    <section class="card">
      <h2>{t("mirror.title")}</h2>
      <p>
        {list.readAt === null
          ? t("mirror.never")
          : t("mirror.loaded", { n: list.objectives ?? 0, time: formatTime(list.readAt) })}
      </p>
      {list.reason !== null && (
        <p class="box s-attention">
          <DaemonText text={list.reason} />
        </p>
      )}
      <p>
        <Act disabled={isBusy} onClick={() => void loadNow()}>
          {t("mirror.loadNow")}
        </Act>
      </p>
      <ErrorMessage text={problem} />
      {differences.length > 0 && (
        <>
          <h2>{t("mirror.differences", { n: differences.length })}</h2>
          <Table
            caption={t("mirror.differences", { n: differences.length })}
            columns={columns()}
            rows={differences}
            keyOf={({ id }) => id}
          />
        </>
      )}
    </section>
  );
}

function columns(): Column<ObjectiveDifferenceView>[] {
  return [
    { key: "id", title: "#", cell: ({ id }) => id },
    { key: "here", title: t("mirror.here"), cell: ({ localName: here }) => here },
    {
      key: "there",
      title: t("mirror.there"),
      cell: ({ upstreamName: there }) => there ?? t("mirror.notListed"),
    },
    { key: "missing", title: t("mirror.missing"), cell: ({ missingSince }) => formatTime(missingSince) },
  ];
}
