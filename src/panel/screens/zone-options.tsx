import { ZONE_LIMITS } from "../../generated/zone-help.ts";
import type { OptionErrors } from "../option-errors.ts";
import { t } from "../i18n.ts";
import { ChoiceOption, FoldedOptions, SectionOption, TextOption } from "../option-field.tsx";
import { inputOf, setOptions, setOwnId, type ZoneDraft, type ZoneText } from "../zone-draft.ts";
import { GateOption } from "./gate-option.tsx";

/** Every further option; those of another sort of input are left out. */
export function AdvancedOptions({
  described,
  errors,
}: {
  readonly described: ZoneDraft;
  readonly errors: OptionErrors;
}) {
  const { zone, changes } = described;
  const input = inputOf(zone);
  const isMessage = "mqtt" in input;
  const others = [...(isMessage ? NOT_OF_MESSAGES : OF_MESSAGES), ...("dc09" in input ? NOT_OF_PANELS : [])];
  // One that the zone has all the same can be removed here.
  const numbers = NUMBERS.filter((option) => !others.includes(option) || zone[option] !== undefined);
  const sections = SECTIONS.filter((option) => isMessage || !OF_MESSAGES.includes(option));
  return (
    <FoldedOptions title={t("zoneForm.advanced")} errors={errors}>
      {changes === undefined && (
        <TextOption
          option="id"
          label={t("question.zone-id")}
          value={zone.id}
          errors={errors}
          isRequired
          isCode
          onText={setOwnId}
        />
      )}
      <GateOption zone={zone} errors={errors} />
      {numbers.map((option) => (
        <TextOption
          key={option}
          option={option}
          label={t(`option.${option}`)}
          value={zone[option] as number | undefined}
          errors={errors}
          numbers={ZONE_LIMITS[option]}
          onText={(text) => setOptions({ [option]: text === "" ? undefined : Number(text) })}
        />
      ))}
      <WhenArmedOpen zone={zone} errors={errors} />
      {TEXTS.map((option) => (
        <TextOption
          key={option}
          option={option}
          label={t(`option.${option}`)}
          value={zone[option] as string | undefined}
          errors={errors}
          onText={(text) => setOptions({ [option]: text })}
        />
      ))}
      <p class="quiet">{t("zoneForm.sections")}</p>
      {sections.map((option) => (
        <SectionOption
          key={option}
          option={option}
          label={t(`option.${option}`)}
          value={zone[option]}
          errors={errors}
          onValue={(value) => setOptions({ [option]: value })}
        />
      ))}
      {FLAGS.map((option) => (
        <Flag key={option} option={option} zone={zone} errors={errors} />
      ))}
    </FoldedOptions>
  );
}

const NUMBERS = [
  "entryDelayS",
  "debounceMs",
  "minOpenMs",
  "confirmMs",
  "autoRestoreS",
  "powerUpDelayS",
  "supervisionTimeoutS",
  "unavailableGraceS",
] as const;
const TEXTS = ["profile", "device"] as const;
const SECTIONS = ["tamper", "battery", "availability", "bridge", "confirmWith", "swinger"] as const;
const FLAGS = ["disabled", "allowSlow"] as const;
const NOT_OF_MESSAGES: readonly string[] = ["powerUpDelayS"];
/** The daemon rejects them: an alarm panel filters its own contacts. */
const NOT_OF_PANELS: readonly string[] = ["debounceMs", "minOpenMs", "confirmMs"];
/** Options that a sensor without messages cannot have. */
const OF_MESSAGES: readonly string[] = [
  "supervisionTimeoutS",
  "unavailableGraceS",
  "availability",
  "bridge",
  "battery",
];

function Flag({
  option,
  zone,
  errors,
}: {
  readonly option: (typeof FLAGS)[number];
  readonly zone: ZoneText;
  readonly errors: OptionErrors;
}) {
  return (
    <ChoiceOption
      option={option}
      label={t(`option.${option}`)}
      value={zone[option] === true ? "yes" : "no"}
      errors={errors}
      choices={[
        ["no", t("choice.centre.no")],
        ["yes", t("choice.centre.yes")],
      ]}
      onChoice={(value) => setOptions({ [option]: value === "yes" ? true : undefined })}
    />
  );
}

function WhenArmedOpen({ zone, errors }: { readonly zone: ZoneText; readonly errors: OptionErrors }) {
  return (
    <ChoiceOption
      option="whenArmedOpen"
      label={t("option.whenArmedOpen")}
      value={zone.whenArmedOpen ?? ""}
      errors={errors}
      choices={[
        ["", t("option.default")],
        ["record", t("option.whenArmedOpen.record")],
        ["trip", t("option.whenArmedOpen.trip")],
        ["condition", t("option.whenArmedOpen.condition")],
      ]}
      onChoice={(value) => setOptions({ whenArmedOpen: value })}
    />
  );
}
