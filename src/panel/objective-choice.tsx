import { useEffect, useState } from "preact/hooks";
import type { Objective, ObjectiveType } from "../generated/types.ts";
import { useQuery } from "./api.ts";
import { TextField } from "./field.tsx";
import { t } from "./i18n.ts";
import { apiPath } from "./http.ts";
import { Choice } from "./more-fields.tsx";
import { Pending } from "./notice.tsx";
import { useSettled } from "./settled.ts";

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
  const sought = useSettled(search.trim());
  return (
    <div class="grid">
      <Choice
        label={t("record.objectiveType")}
        name="objectiveType"
        value={kind}
        onChange={setKind}
        options={OBJECTIVE_TYPES.map((one) => [one, t(`objective.${one}`)])}
      />
      <ObjectiveSearch search={search} onSearch={setSearch} />
      {/* A new one for each type: an objective of another type must never be offered. */}
      <Offered key={kind} kind={kind} search={sought} id={kind === type ? id : undefined} />
    </div>
  );
}

/** The field for a search of objectives, in a form. */
export function ObjectiveSearch({
  search,
  onSearch,
}: {
  readonly search: string;
  readonly onSearch: (search: string) => void;
}) {
  return (
    <TextField
      label={t("objectives.find")}
      name="objectiveSearch"
      type="search"
      value={search}
      maxLength={200}
      onInput={(event) => onSearch(event.currentTarget.value)}
      // It would submit the form around it.
      onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
    />
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
  // Neither a search nor saving may change the choice.
  const [chosen, setChosen] = useState(id === undefined ? "" : String(id));
  const parameters = new URLSearchParams({ _end: String(OFFERED_MAX), _sort: "name" });
  if (search !== "") parameters.set("q", search);
  const { response, isFormer, error, reload } = useQuery<Objective[]>(
    apiPath(`/${kind}?${parameters.toString()}`),
  );
  const stored = useQuery<Objective[]>(id === undefined ? undefined : apiPath(`/${kind}?id=${id}&_end=1`));
  const [kept, setKept] = useState<readonly Objective[]>([]);
  const offered = response?.body ?? [];
  const known = [...offered, ...kept, ...(stored.response?.body ?? [])];
  const choose = (value: string): void => {
    setChosen(value);
    setKept(offered.filter((one) => String(one.id) === value));
  };
  // With one objective there is nothing to choose. Among others, none may be sent that the user has not seen.
  useEffect(() => {
    const [first] = offered;
    const isOnly = search === "" && response?.headers.get("X-Total-Count") === "1";
    if (chosen === "" && isOnly && first) choose(String(first.id));
  }, [response]);
  const options = offered.map(optionOf);
  if (chosen === "") options.unshift(["", t("objectives.choose")]);
  else if (!offered.some((one) => String(one.id) === chosen))
    options.unshift(optionOf(known.find((one) => String(one.id) === chosen) ?? { id: Number(chosen) }));
  return (
    <>
      <Choice
        label={t("record.objective")}
        name="objectiveId"
        value={chosen}
        onChange={choose}
        options={options}
        isRequired
      />
      {!response && error && <Pending error={error} reload={reload} />}
      {!isFormer && response && (search === "" ? known : offered).length === 0 && (
        <p class="quiet" role="status">
          {t(search === "" ? "objectives.none" : "objectives.noneFound")}
        </p>
      )}
    </>
  );
}

/** The text of an objective; its number alone until its name is known. */
function optionOf({ id, name }: Pick<Objective, "id"> & Partial<Objective>): [value: string, text: string] {
  return [String(id), name === undefined ? `#${id}` : `${name} (${id})`];
}
