import { useEffect, useRef, useState } from "preact/hooks";
import type { Objective, ObjectiveType } from "../../generated/types.ts";
import { useQuery } from "../api.ts";
import type { OptionErrors } from "../option-errors.ts";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { lastObjective } from "../last-objective.ts";
import { status } from "../live-updates.ts";
import { Pending } from "../notice.tsx";
import { OBJECTIVE_TYPES, ObjectiveSearch } from "../objective-choice.tsx";
import { ChoiceOption, TextOption } from "../option-field.tsx";
import { useSettled } from "../settled.ts";
import { proposeOptions, setOptions, type ZoneText } from "../zone-draft.ts";

/** Maximum number of options of each type; the search finds the others. */
const OFFERED_MAX = 50;
const OTHER = "other";

type Offer = readonly [value: string, text: string];

/** The objective of a zone, from the known ones; or its type and number. */
export function ZoneObjectiveOption({
  zone,
  errors,
}: {
  readonly zone: ZoneText;
  readonly errors: OptionErrors;
}) {
  const { type = "obiective/cladiri", id } = (zone["objective"] ?? {}) as {
    type?: ObjectiveType;
    id?: number;
  };
  const [isOther, setIsOther] = useState(false);
  const [search, setSearch] = useState("");
  const sought = useSettled(search.trim());
  const lists = OBJECTIVE_TYPES.map((one) => useObjectives(one, sought));
  const stored = useStored(type, id);
  const isKnown = [...lists, stored].every(({ isDone }) => isDone);
  const offered = lists.flatMap(({ offers }) => offers);
  const current = id === undefined ? "" : `${type} ${id}`;
  // A search does not change the choice.
  const [kept, setKept] = useState<readonly Offer[]>([]);
  const others = [...kept, ...stored.offers].filter(([value]) => !offered.some(([one]) => one === value));
  const known = [...offered, ...others.filter(([value]) => value === current).slice(0, 1)];
  const isListed = known.some(([value]) => value === current);
  const total = useRef(0);
  if (sought === "" && lists.every(({ isFormer }) => !isFormer))
    total.current = lists.reduce((sum, list) => sum + list.total, 0);
  const choose = (value: string, set = setOptions): void => {
    setIsOther(value === OTHER);
    setKept(known.filter(([one]) => one === value));
    const [chosen, number] = value.split(" ");
    set({ objective: number === undefined ? undefined : { type: chosen, id: Number(number) } });
  };
  // A list that could not be read may have the building.
  const failed = lists.find(({ error }) => error);
  const isAlone = status.value?.link.state === "none";
  const first = firstChoice(isAlone && `${type} 1`, total.current, offered, stored.offers);
  const proposed = isKnown && !failed && id === undefined && !isOther && first;
  useEffect(() => {
    if (proposed) choose(proposed, proposeOptions);
  }, [proposed]);
  const isSearched = total.current > offered.length || search !== "" || sought !== "";
  const isEmpty = known.length === 0 && !isSearched;
  const needsNumber = isKnown && (isOther || isEmpty || (id !== undefined && !isListed));
  return (
    <>
      {isSearched && <AnsweredSearch search={search} onSearch={setSearch} sought={sought} lists={lists} />}
      {!isEmpty && (
        <ChoiceOption
          option="objective"
          label={t("record.objective")}
          help={t("zoneForm.objectiveHelp")}
          value={needsNumber ? OTHER : current}
          errors={errors}
          // Among several, none may be stored that the user has not seen.
          choices={[
            ...(current === "" ? [["", t("objectives.choose")] as const] : []),
            ...known,
            [OTHER, t("zoneForm.otherObjective")],
          ]}
          isRequired
          onChoice={choose}
        />
      )}
      {failed?.error && <Pending error={failed.error} reload={failed.reload} />}
      {needsNumber && <ObjectiveNumber objective={{ type, id }} isAlone={isAlone} errors={errors} />}
    </>
  );
}

/**
 * What a new zone begins with; undefined if the user has to choose.
 * @param own the first objective of a site without a dispatch centre
 */
function firstChoice(
  own: string | false,
  total: number,
  offered: readonly Offer[],
  stored: readonly Offer[],
): string | undefined {
  // With one objective there is nothing to choose. Without a dispatch centre, its first zone gives a site its building.
  if (total === 0 && own) return own;
  if (total === 1) return offered[0]?.[0];
  // That of the zone before, in a field that the user sees.
  const last = lastObjective();
  return [...offered, ...stored].find(([value]) => value === `${last?.type} ${last?.id}`)?.[0];
}

function AnsweredSearch({
  search,
  onSearch,
  sought,
  lists,
}: {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** What the lists are of. */
  readonly sought: string;
  readonly lists: readonly Offers[];
}) {
  const isNone = lists.every((one) => one.isDone && !one.isFormer && !one.error && one.offers.length === 0);
  return (
    <>
      <ObjectiveSearch search={search} onSearch={onSearch} />
      {sought !== "" && isNone && (
        <p class="quiet" role="status">
          {t("objectives.noneFound")}
        </p>
      )}
    </>
  );
}

/** An objective that this site does not know, by its type and number. */
function ObjectiveNumber({
  objective: { type, id },
  isAlone,
  errors,
}: {
  /** Whether there is no dispatch centre. */
  readonly isAlone: boolean;
  readonly objective: { readonly type: ObjectiveType; readonly id: number | undefined };
  readonly errors: OptionErrors;
}) {
  const set = (next: { readonly type: string; readonly id: number | undefined }): void =>
    setOptions({ objective: next.id === undefined ? { type: next.type } : next });
  return (
    <div class="grid">
      <ChoiceOption
        option="objective.type"
        label={t("record.objectiveType")}
        help=""
        value={type}
        errors={errors}
        choices={OBJECTIVE_TYPES.map((one) => [one, t(`objective.${one}`)])}
        onChoice={(chosen) => set({ type: chosen, id })}
      />
      <TextOption
        option="objective.id"
        label={t("question.objective-id")}
        help={t(isAlone ? "zoneForm.objectiveIdAlone" : "zoneForm.objectiveIdHelp")}
        value={id}
        errors={errors}
        isRequired
        numbers={[1, Number.MAX_SAFE_INTEGER]}
        onText={(text) => set({ type, id: text === "" ? undefined : Number(text) })}
      />
    </div>
  );
}

/** The objectives of one type that a search finds. */
function useObjectives(type: ObjectiveType, search: string) {
  const parameters = new URLSearchParams({ _end: String(OFFERED_MAX), _sort: "name" });
  if (search !== "") parameters.set("q", search);
  return useOffers(type, parameters.toString());
}

/** The objective that the zone has or gets at the start; it may not be among the first. */
function useStored(type: ObjectiveType, id: number | undefined) {
  const [first] = useState(() => (id === undefined && lastObjective()) || { type, id });
  return useOffers(first.type, first.id === undefined ? undefined : `id=${first.id}&_end=1`);
}

type Offers = ReturnType<typeof useOffers>;

function useOffers(type: ObjectiveType, query: string | undefined) {
  const path = query === undefined ? undefined : apiPath(`/${type}?${query}`);
  const { response, isFormer, error, reload } = useQuery<Objective[]>(path);
  const offers = (response?.body ?? []).map(({ id, name }): Offer => [
    `${type} ${id}`,
    `${name} (${t(`objective.${type}`)} ${id})`,
  ]);
  return {
    offers,
    total: Number(response?.headers.get("X-Total-Count") ?? 0),
    error: response ? undefined : error,
    reload,
    isFormer,
    isDone: path === undefined || response !== undefined || error !== undefined,
  };
}
