import { t } from "./i18n.ts";
import { Choice } from "./more-fields.tsx";
import type { Column, Sorting } from "./table.tsx";

/** Where rows are cards, their heads are not seen: a list of the columns, and the direction, as the last chips of the filters. */
export function SortChoice<T>({
  columns,
  sorting: { key, descending, sortBy },
}: {
  readonly columns: readonly Column<T>[];
  readonly sorting: Sorting;
}) {
  const order = t(descending ? "table.descending" : "table.ascending");
  return (
    <div class="sort-choice">
      <Choice
        label={t("table.sortBy")}
        name="sort"
        value={key}
        onChange={sortBy}
        options={columns
          .filter(({ sortable }) => sortable === true)
          .map((column) => [column.key, `${t("table.sortBy")}: ${column.title}`] as const)}
      />
      <button type="button" aria-label={`${t("table.order")}: ${order}`} onClick={() => sortBy(key)}>
        <span aria-hidden="true">{descending ? "▼" : "▲"}</span>
      </button>
    </div>
  );
}
