import { useEffect, useState } from "preact/hooks";
import type { Objective, ObjectiveType } from "../../generated/types.ts";
import { useQuery } from "../api.ts";
import type { OptionErrors } from "../configuration-errors.tsx";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { status } from "../live-updates.ts";
import { Pending } from "../notice.tsx";
import { OBJECTIVE_TYPES } from "../objective-choice.tsx";
import { ChoiceOption, TextOption } from "../option-field.tsx";
import { proposeOptions, setOptions, type ZoneText } from "../zone-draft.ts";

/** Of each type; a site has a few. A number can be entered for any other. */
const OFFERED_MAX = 50;
const OTHER = "other";

/** The objective of a zone, from the known ones; or its type and number. */
export function ZoneObjectiveOption({
  zone,
  errors,
}: {
  readonly zone: ZoneText;
  readonly errors: OptionErrors;
}) {
  const [isOther, setIsOther] = useState(false);
  const lists = OBJECTIVE_TYPES.map((type) => ({ type, ...useObjectives(type) }));
  const isKnown = lists.every(({ response, error }) => response !== undefined || error !== undefined);
  const known = lists.flatMap(({ type, response }) =>
    (response?.body ?? []).map(
      ({ id, name }) => [`${type} ${id}`, `${name} (${t(`objective.${type}`)} ${id})`] as const,
    ),
  );
  const { type = "obiective/cladiri", id } = (zone["objective"] ?? {}) as {
    type?: ObjectiveType;
    id?: number;
  };
  const current = id === undefined ? "" : `${type} ${id}`;
  const isListed = known.some(([value]) => value === current);
  const choose = (value: string, set = setOptions): void => {
    setIsOther(value === OTHER);
    const [chosen, number] = value.split(" ");
    set({ objective: number === undefined ? undefined : { type: chosen, id: Number(number) } });
  };
  // A list that could not be read may have the building.
  const failed = lists.find(({ response }) => response === undefined);
  const isAlone = status.value?.link.state === "none";
  // Without a dispatch centre, its first zone gives a site its building.
  const [first = isAlone ? [`${type} 1`] : undefined] = known;
  const proposed = !failed && id === undefined && !isOther ? first?.[0] : undefined;
  useEffect(() => {
    // A site with one building has nothing to choose.
    if (proposed !== undefined) choose(proposed, proposeOptions);
  }, [proposed]);
  const needsNumber = isKnown && (isOther || known.length === 0 || (id !== undefined && !isListed));
  return (
    <>
      {known.length > 0 && (
        <ChoiceOption
          option="objective"
          label={t("record.objective")}
          help={t("zoneForm.objectiveHelp")}
          value={needsNumber ? OTHER : current}
          errors={errors}
          choices={[...known, [OTHER, t("zoneForm.otherObjective")]]}
          onChoice={choose}
        />
      )}
      {failed?.error && <Pending error={failed.error} reload={failed.reload} />}
      {needsNumber && <ObjectiveNumber objective={{ type, id }} isAlone={isAlone} errors={errors} />}
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

function useObjectives(type: ObjectiveType) {
  return useQuery<Objective[]>(apiPath(`/${type}?_end=${OFFERED_MAX}&_sort=name`));
}
