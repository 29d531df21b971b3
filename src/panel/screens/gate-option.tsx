import { useState } from "preact/hooks";
import type { OptionErrors } from "../option-errors.ts";
import { t } from "../i18n.ts";
import { ChoiceOption, SectionOption, TextOption } from "../option-field.tsx";
import { setOptions, type ZoneText } from "../zone-draft.ts";

type Way = "always" | "schedule" | "other";

/** When the zone is armed: always, by a schedule, or by a message or key switch as JSON. */
export function GateOption({ zone, errors }: { readonly zone: ZoneText; readonly errors: OptionErrors }) {
  const { gate } = zone;
  const [way, setWay] = useState<Way>(wayOf(gate));
  const bySchedule = isSchedule(gate) ? gate : undefined;
  const choose = (value: string): void => {
    setWay(value as Way);
    if (value === "always") setOptions({ gate: undefined });
  };
  return (
    <>
      <ChoiceOption
        option="gate"
        label={t("option.gate")}
        value={way}
        errors={errors}
        choices={[
          ["always", t("option.gate.always")],
          ["schedule", t("option.gate.schedule")],
          ["other", t("option.gate.other")],
        ]}
        onChoice={choose}
      />
      {way === "schedule" && (
        <TextOption
          option="gate.schedule"
          label={t("option.gate.times")}
          help={t("option.gate.timesHelp")}
          value={bySchedule?.schedule}
          errors={errors}
          isRequired
          isCode
          onText={(text) => setOptions({ gate: text === "" ? undefined : { ...bySchedule, schedule: text } })}
        />
      )}
      {way === "other" && (
        <SectionOption
          option="gate"
          label={t("option.gate.section")}
          value={gate}
          errors={errors}
          onValue={(value) => setOptions({ gate: value })}
        />
      )}
    </>
  );
}

function wayOf(gate: unknown): Way {
  if (gate === undefined || gate === "always") return "always";
  return isSchedule(gate) ? "schedule" : "other";
}

function isSchedule(gate: unknown): gate is { readonly schedule: string } {
  return typeof gate === "object" && gate !== null && "schedule" in gate;
}
