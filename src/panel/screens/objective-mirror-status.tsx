import { useState } from "preact/hooks";
import type { ObjectiveType } from "../../generated/types.ts";
import type { ObjectiveDifferenceView, ObjectivesView } from "../../http/site/objective-port.ts";
import { request, useQuery } from "../api.ts";
import { t } from "../i18n.ts";
import { formatTime } from "../date-format.ts";
import { runWithErrorNotice } from "../notice.tsx";
import { Table, type Column } from "../table.tsx";

/** How old the copy of the centre's list is, and what the centre and this site do not say alike. */
export function ObjectiveMirrorStatus({ type }: { readonly type: ObjectiveType }) {
  const [version, setVersion] = useState(0);
  const [isReading, setIsReading] = useState(false);
  const { answer } = useQuery<ObjectivesView>("/site/objectives", version);
  const list = answer?.body.lists.find((one) => one.type === type);
  if (!answer || answer.body.centre === null || !list) return null;
  const readNow = async (): Promise<void> => {
    setIsReading(true);
    await runWithErrorNotice(async () => void (await request("/site/objectives/pull", { method: "POST" })));
    setIsReading(false);
    setVersion((last) => last + 1);
  };
  const differences = answer.body.differences.filter((one) => one.type === type);
  return (
    <section class="below">
      <h2>{t("copy.title")}</h2>
      <p>
        {list.readAt === null
          ? t("copy.never")
          : t("copy.read", { n: list.objectives ?? 0, time: formatTime(list.readAt) })}
      </p>
      {list.reason !== null && (
        <p class="warn box" lang="en">
          {list.reason}
        </p>
      )}
      <p>
        <button type="button" disabled={isReading} onClick={() => void readNow()}>
          {t("copy.readNow")}
        </button>
      </p>
      {differences.length > 0 && (
        <>
          <h2>{t("copy.differences", { n: differences.length })}</h2>
          <Table
            caption={t("copy.differences", { n: differences.length })}
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
    { key: "here", title: t("copy.here"), cell: ({ localName: here }) => here },
    { key: "there", title: t("copy.there"), cell: ({ upstreamName: there }) => there ?? t("copy.notListed") },
    { key: "missing", title: t("copy.missing"), cell: ({ missingSince }) => formatTime(missingSince) },
  ];
}
