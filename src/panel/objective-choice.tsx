import { useState } from "preact/hooks";
import type { Objective, ObjectiveType } from "../generated/types.ts";
import { useQuery } from "./api.ts";
import { TextField } from "./field.tsx";
import { t } from "./i18n.ts";
import { apiPath } from "./http.ts";
import { Choice } from "./more-fields.tsx";
import { Pending } from "./notice.tsx";

export const OBJECTIVE_TYPES: readonly ObjectiveType[] = [
  "obiective/cladiri",
  "obiective/bunuri",
  "obiective/persoane",
];

/** Maximum number of options; the search finds the others. */
const OFFERED_MAX = 50;

/** Selects an objective of any type, with a search by name. */
export function ObjectiveChoice({
  type,
  id,
}: {
  readonly type: ObjectiveType;
  readonly id: number | undefined;
}) {
  const [kind, setKind] = useState(type);
  const [search, setSearch] = useState("");
  return (
    <div class="grid">
      <Choice
        label={t("record.objectiveType")}
        name="objectiveType"
        value={kind}
        onChange={setKind}
        options={OBJECTIVE_TYPES.map((one) => [one, t(`objective.${one}`)])}
      />
      <TextField
        label={t("objectives.find")}
        name="objectiveSearch"
        type="search"
        value={search}
        maxLength={200}
        onInput={(event) => setSearch(event.currentTarget.value)}
        // It would submit the form around it.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
      {/* A new one for each type: an objective of another type must never be offered. */}
      <Offered key={kind} kind={kind} search={search.trim()} id={kind === type ? id : undefined} />
    </div>
  );
}

/** The objectives of one type that a search finds. @param id the stored choice */
function Offered({
  kind,
  search,
  id,
}: {
  readonly kind: ObjectiveType;
  readonly search: string;
  readonly id: number | undefined;
}) {
  // The choice with its text, which is always offered: neither a search nor saving must change it.
  const [chosen, setChosen] = useState<readonly [id: string, text: string] | undefined>(
    id === undefined ? undefined : [String(id), `#${id}`],
  );
  const parameters = new URLSearchParams({ _end: String(OFFERED_MAX), _sort: "name" });
  if (search !== "") parameters.set("q", search);
  const { response, error, reload } = useQuery<Objective[]>(apiPath(`/${kind}?${parameters.toString()}`));
  const offered = (response?.body ?? []).map((one) => [String(one.id), `${one.name} (${one.id})`] as const);
  const isMissing = chosen && !offered.some(([one]) => one === chosen[0]);
  const options = isMissing ? [chosen, ...offered] : offered;
  return (
    <>
      <Choice
        label={t("record.objective")}
        name="objectiveId"
        value={chosen?.[0] ?? options[0]?.[0] ?? ""}
        onChange={(next) => setChosen(options.find(([one]) => one === next))}
        options={options}
        isRequired
      />
      {!response && error && <Pending error={error} reload={reload} />}
    </>
  );
}
