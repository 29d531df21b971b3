import { useRef } from "preact/hooks";
import type { Objective, ObjectiveType } from "../../generated/types.ts";
import { useQuery } from "../api.ts";
import { EmptyState } from "../empty-state.tsx";
import { t } from "../i18n.ts";
import { status, zones } from "../live-updates.ts";
import { SearchField } from "../more-fields.tsx";
import { Pending } from "../notice.tsx";
import { OBJECTIVE_TYPES } from "../objective-choice.tsx";
import { objectiveDetails } from "../objective-details.tsx";
import { Pager, useTotal } from "../pager.tsx";
import { route, setQuery } from "../route.ts";
import { ObjectiveMirrorStatus } from "./objective-mirror-status.tsx";
import { Table, type Column } from "../table.tsx";
import { apiPath } from "../http.ts";

const PAGE_SIZE = 50;

/** The objectives of interventions: buildings, assets, persons. */
export function ObjectivesScreen() {
  const { q: search = "", start: from = "0", type: wanted } = route.value.query;
  const start = Number(from);
  const type = OBJECTIVE_TYPES.find((one) => one === wanted) ?? "obiective/cladiri";
  const parameters = new URLSearchParams({
    _start: String(start),
    _end: String(start + PAGE_SIZE),
    _sort: "name",
  });
  if (search.trim() !== "") parameters.set("q", search.trim());
  const path = apiPath(`/${type}?${parameters.toString()}`);
  const { response, isFormer, error, reload } = useQuery<Objective[]>(path);
  // The numbers of another type name other objectives.
  const shownType = useRef(type);
  if (!isFormer) shownType.current = type;
  const total = useTotal(response, PAGE_SIZE);
  return (
    <>
      <h1>{t("nav.objectives")}</h1>
      <div class="chips" role="group" aria-label={t("record.objectiveType")}>
        {OBJECTIVE_TYPES.map((one) => (
          <button
            type="button"
            key={one}
            aria-pressed={type === one}
            onClick={() => setQuery({ type: one, start: "" })}
          >
            {t(`objectives.${one}`)}
          </button>
        ))}
      </div>
      <div class="filters">
        <SearchField text={search} find={(text) => setQuery({ q: text, start: "" })} />
      </div>
      {!response && <Pending error={error} reload={reload} />}
      {response && !isFormer && total === 0 && (
        <EmptyState icon="building-2" text={t(search === "" ? "objectives.none" : "objectives.noneFound")}>
          {search !== "" && (
            <button type="button" onClick={() => setQuery({ q: "", start: "" })}>
              {t("objectives.all")}
            </button>
          )}
        </EmptyState>
      )}
      {response && response.body.length > 0 && (
        <>
          <Table
            caption={t(`objectives.${type}`)}
            columns={columns(shownType.current)}
            rows={response.body}
            isFormer={isFormer}
            keyOf={({ id }) => id}
          />
          <Pager
            start={start}
            size={PAGE_SIZE}
            total={total}
            turn={(next) => setQuery({ start: String(next) })}
          />
        </>
      )}
      <ObjectiveMirrorStatus key={type} type={type} onLoaded={reload} />
    </>
  );
}

function columns(type: ObjectiveType): Column<Objective>[] {
  const usedBy = (id: number): string =>
    status.value === undefined
      ? ""
      : zones.value
          .filter(({ objective }) => objective.type === type && objective.id === id)
          .map(({ name }) => name)
          .join(", ") || "–";
  return [
    {
      key: "name",
      title: t("record.name"),
      isLead: true,
      isWide: true,
      cell: ({ name }) => <strong class="two-lines">{name}</strong>,
    },
    { key: "id", title: "#", isShort: true, cell: ({ id }) => id },
    {
      key: "details",
      title: t("objectives.details"),
      isWide: true,
      cell: (objective) => <Shortened text={detailsOf(objective)} />,
    },
    {
      key: "usedBy",
      title: t("objectives.usedBy"),
      isWide: true,
      cell: ({ id }) => <Shortened text={usedBy(id)} />,
    },
  ];
}

/** One objective may have a hundred zones. */
function Shortened({ text }: { readonly text: string }) {
  return (
    <span class="shortened" title={text}>
      {text}
    </span>
  );
}

function detailsOf(objective: Objective): string {
  return (
    objectiveDetails(objective)
      .map(([, text]) => text)
      .join(" · ") || "–"
  );
}
