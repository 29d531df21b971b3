import { useId } from "preact/hooks";
import { daemonNowMs } from "../clock.ts";
import { siteDay } from "../date-format.ts";
import { t } from "../i18n.ts";
import { Choice } from "../more-fields.tsx";
import { route } from "../route.ts";

/** What the address has of the period. */
export const PERIOD_FILTERS = ["period", "from", "to"] as const;
type PeriodFilters = Partial<Record<(typeof PERIOD_FILTERS)[number], string>>;
/** The value of the period that the two dates set. */
const RANGE = "range";
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The choice of the period in which an intervention starts. @param set changes filters in the address */
export function PeriodChoice({ set }: { readonly set: (change: Readonly<Record<string, string>>) => void }) {
  const { period = "" } = route.value.query;
  return (
    <Choice
      label={t("period.title")}
      name="period"
      value={period}
      onChange={(value) => set({ period: value, ...(value === RANGE ? {} : { from: "", to: "" }) })}
      options={[
        ["", t("period.title")],
        ["month", t("period.month")],
        ["last-month", t("period.lastMonth")],
        [RANGE, t("period.range")],
      ]}
    />
  );
}

/** The first and the last day of a range; only while a range is chosen. @param set as above */
export function PeriodRange({ set }: { readonly set: (change: Readonly<Record<string, string>>) => void }) {
  const { period = "", from = "", to = "" } = route.value.query;
  if (period !== RANGE) return null;
  return (
    <div class="row">
      <DayField label={t("period.from")} value={from} choose={(day) => set({ from: day })} />
      <DayField label={t("period.to")} value={to} choose={(day) => set({ to: day })} />
    </div>
  );
}

function DayField({
  label,
  value,
  choose,
}: {
  readonly label: string;
  readonly value: string;
  readonly choose: (day: string) => void;
}) {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        max="9999-12-31"
        value={value}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
    </p>
  );
}

/** The parameters of a list of interventions for a period of the address, in days of the site. */
export function periodParameters({ period = "", from = "", to = "" }: PeriodFilters): [string, string][] {
  const [first, last] = period === RANGE ? [from, to] : monthOf(period);
  return [
    ...(DAY.test(first) ? [["dateStart_gte", `${first}T00:00:00`] satisfies [string, string]] : []),
    ...(DAY.test(last) ? [["dateStart_lte", `${last}T23:59:59.999`] satisfies [string, string]] : []),
  ];
}

/** The first and the last day of this month or of the last one; empty for another period. */
function monthOf(period: string): [first: string, last: string] {
  if (period !== "month" && period !== "last-month") return ["", ""];
  const [year = 0, month = 1] = siteDay(daemonNowMs()).split("-").map(Number);
  const from = period === "month" ? month - 1 : month - 2;
  const day = (...date: [number, number, number]): string =>
    new Date(Date.UTC(...date)).toISOString().slice(0, 10);
  return [day(year, from, 1), day(year, from + 1, 0)];
}
