import { useState } from "preact/hooks";
import type { WalkTestResult } from "../../domain/walk-test.ts";
import type { EndedWalkTestView } from "../../site/zone-view.ts";
import { useQuery } from "../api.ts";
import { BackLink } from "../back-link.tsx";
import { originText } from "../event-detail-texts.ts";
import { t } from "../i18n.ts";
import { ListTime } from "../list-time.tsx";
import { Pending } from "../notice.tsx";
import { Table, type Column } from "../table.tsx";
import { WalkReport } from "./walk-report.tsx";

const LIMIT_STEP = 20;
type NamedTest = Pick<EndedWalkTestView, "number" | "sha256">;

/** The daemon gives no more at once: weekly tests of two years. */
const LIMIT_MAX = 100;

/** The tests that have ended, each with the address of its report. @param shown the one whose report is shown */
export function EarlierTests({ shown }: { readonly shown: NamedTest | undefined }) {
  const [limit, setLimit] = useState(LIMIT_STEP);
  const path = `/site/walk-tests?limit=${limit}`;
  const { response, error, reload } = useQuery<EndedWalkTestView[]>(path, shown && nameOf(shown));
  if (!response) return error ? <Pending error={error} reload={reload} /> : null;
  const tests = response.body.filter((test) => !shown || nameOf(test) !== nameOf(shown));
  if (tests.length === 0) return null;
  return (
    <section class="card no-print" aria-label={t("walk.earlier")}>
      <h2>{t("walk.earlier")}</h2>
      <Table caption={t("walk.earlier")} columns={columns(response.body)} rows={tests} keyOf={nameOf} />
      {limit < LIMIT_MAX && response.headers.has("Link") && (
        <button type="button" onClick={() => setLimit(limit + LIMIT_STEP)}>
          {t("walk.older")}
        </button>
      )}
    </section>
  );
}

/** Two tests may have one number. */
function nameOf({ number, sha256 }: NamedTest): string {
  return `${number} ${sha256}`;
}

/** A new card begins with number 1, also where a restored backup has one already. */
function isOnly(of: number, tests: readonly EndedWalkTestView[]): boolean {
  return tests.filter(({ number }) => number === of).length === 1;
}

function columns(tests: readonly EndedWalkTestView[]): Column<EndedWalkTestView>[] {
  return [
    {
      key: "number",
      title: t("walk.report"),
      isLead: true,
      cell: ({ number, sha256 }) => {
        const name = t("walk.reportNumber", { number });
        return sha256 === null ? (
          name
        ) : (
          <a href={`#/walk-test/${number}${isOnly(number, tests) ? "" : `.${sha256}`}`}>{name}</a>
        );
      },
    },
    { key: "ended", title: t("walk.ended"), isShort: true, cell: ({ ended }) => <ListTime iso={ended} /> },
    { key: "who", title: t("walk.by"), cell: ({ who }) => originText(who) },
    {
      key: "result",
      title: t("walk.result"),
      cell: ({ tested, zones }) =>
        tested === null || zones === null ? t("walk.noResult") : t("walk.tested", { tested, n: zones }),
    },
  ];
}

/** The report of a test by its number, with its hash behind a point if several tests have the number. */
export function EarlierReport({ number: named }: { readonly number: string }) {
  const [number = "", hash] = named.split(".");
  const query = hash === undefined ? "" : `?sha256=${encodeURIComponent(hash)}`;
  const path = `/site/walk-tests/${encodeURIComponent(number)}${query}`;
  const { response, error, reload } = useQuery<WalkTestResult>(path);
  // A proxy that compresses the response marks the tag as weak.
  const [sha256 = null] = /[0-9a-f]{64}/.exec(response?.headers.get("ETag") ?? "") ?? [];
  return (
    <>
      <BackLink href="#/walk-test" text={t("nav.walkTest")} />
      <h1>{t("walk.title")}</h1>
      {response ? (
        <WalkReport test={{ ...response.body, sha256 }} />
      ) : (
        <Pending error={error} reload={reload} />
      )}
    </>
  );
}
