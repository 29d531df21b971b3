import "./empty.css";
import "./table.css";
import "./wide-word.css";
import type { ComponentChildren } from "preact";
import { t } from "./i18n.ts";

export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Whether the table can be sorted by this column. */
  readonly sortable?: boolean;
  /** Whether the text stays on one line: numbers, times, single words. */
  readonly isShort?: boolean;
  /** Whether it names the row: on a phone it is the first line, without its title. */
  readonly isLead?: boolean;
  /** Whether it is the menu of the row: on a phone in its corner, without its title. */
  readonly isMenu?: boolean;
  /** Whether the column keeps a minimum width for an address or a longer name; on a phone with states it is a line of its own. */
  readonly isWide?: boolean;
  /**
   * Of a list whose lead has the facts of a row in its second line (`row-facts`) where there is no room for their columns. `state`,
   * `time`: on a phone in one line below them, without a title, the time at its end. `table`: not on a phone. `extra`: only on a
   * laptop or wider. `rest`: only on a wide display.
   */
  readonly place?: "state" | "time" | "table" | "extra" | "rest";
}

export interface Sorting {
  readonly key: string;
  readonly descending: boolean;
  readonly sortBy: (key: string) => void;
}

/**
 * A table that becomes a stack of cards on a phone. Roles are explicit, because browsers drop them when CSS changes
 * the display of table elements.
 */
export function Table<T>({
  caption,
  columns,
  rows,
  keyOf,
  sorting,
  isFormer = false,
}: {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  readonly sorting?: Sorting;
  /** Whether the rows are those of the last filter or page, while the wanted ones are awaited. */
  readonly isFormer?: boolean;
}) {
  if (rows.length === 0) return <p class="quiet empty">{t("app.nothing")}</p>;
  return (
    <table role="table" class={isFormer ? "former" : ""}>
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <Head key={column.key} column={column} {...(sorting ? { sorting } : {})} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row" key={keyOf(row)}>
            {columns.map((column) => (
              <td role="cell" key={column.key} data-title={column.title} class={classOf(column)}>
                <div>{column.cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The name of a row, with its link: at most two lines of a table, all of it on a phone. */
export function NameLink({ href, name }: { readonly href: string; readonly name: string }) {
  return (
    <a href={href} title={name}>
      <span class="two-lines">{name}</span>
    </a>
  );
}

function classOf<T>({ isLead, isShort, isMenu, isWide, place }: Column<T>): string {
  if (isLead === true) return isWide === true ? "lead wide" : "lead";
  if (isMenu === true) return "row-menu";
  return [isShort === true ? "short" : isWide === true ? "wide" : "", place].filter(Boolean).join(" ");
}

function Head<T>({ column, sorting }: { readonly column: Column<T>; readonly sorting?: Sorting }) {
  const { key, title } = column;
  if (!sorting || column.sortable !== true)
    return (
      <th role="columnheader" scope="col" class={classOf(column)}>
        {column.isMenu === true ? <span class="unseen">{title}</span> : title}
      </th>
    );
  const isSorted = sorting.key === key;
  return (
    <th
      role="columnheader"
      scope="col"
      class={classOf(column)}
      aria-sort={isSorted ? (sorting.descending ? "descending" : "ascending") : "none"}
    >
      <button type="button" class="plain" onClick={() => sorting.sortBy(key)}>
        {title} <span aria-hidden="true">{isSorted ? (sorting.descending ? "▼" : "▲") : "↕"}</span>
      </button>
    </th>
  );
}
