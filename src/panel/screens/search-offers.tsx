import type { Intervention, Objective, ObjectiveType } from "../../generated/types.ts";
import { useQuery } from "../api.ts";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { route, setQuery } from "../route.ts";
import { NUMBER } from "./intervention-search.tsx";

/** More would take the place of the list. */
const OFFERED_MAX = 3;
/** A single letter is in nearly every name. */
const SEARCHED_MIN = 2;

/** What a search means besides the text of interventions: the one with this number, and the objectives with this name. */
export function SearchOffers() {
  const q = (route.value.query["q"] ?? "").trim();
  const [, , number] = NUMBER.exec(q) ?? [];
  const record = useNumbered(number);
  const name = number === undefined && q.length >= SEARCHED_MIN ? q : "";
  const objectives = [
    ...useNamed("obiective/cladiri", name),
    ...useNamed("obiective/bunuri", name),
    ...useNamed("obiective/persoane", name),
  ];
  if (!record && objectives.length === 0) return null;
  return (
    <div class="chips" role="group" aria-label={t("interventions.offered")}>
      {record && (
        <a class="button" href={`#/interventions/${record.id}`}>
          {`#${record.id} ${record.name}`}
        </a>
      )}
      {objectives.map(({ ref, name: found }) => (
        <button type="button" key={ref} onClick={() => setQuery({ objective: ref, q: "", start: "" })}>
          {t("interventions.atObjective", { name: found })}
        </button>
      ))}
    </div>
  );
}

function useNumbered(number: string | undefined): Intervention | undefined {
  const path = number === undefined ? undefined : apiPath(`/interventii?id=${number}&_end=1`);
  const { response, isFormer } = useQuery<Intervention[]>(path);
  return isFormer ? undefined : response?.body[0];
}

function useNamed(
  type: ObjectiveType,
  name: string,
): readonly { readonly ref: string; readonly name: string }[] {
  const parameters = new URLSearchParams({ q: name, _sort: "name", _end: String(OFFERED_MAX) });
  const path = name === "" ? undefined : apiPath(`/${type}?${parameters.toString()}`);
  const { response, isFormer } = useQuery<Objective[]>(path);
  if (isFormer || !response) return [];
  return response.body.map((one) => ({ ref: `${type}/${one.id}`, name: one.name }));
}
