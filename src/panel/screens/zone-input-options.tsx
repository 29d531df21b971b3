import { useState } from "preact/hooks";
import type { OptionErrors } from "../option-errors.ts";
import { t } from "../i18n.ts";
import { ChoiceOption, FoldedOptions, SectionOption, TextOption } from "../option-field.tsx";
import {
  configuredZones,
  inputOf,
  meaningOf,
  setInput,
  setOptions,
  valuesIn,
  valuesText,
  type InputText,
  type ZoneDraft,
} from "../zone-draft.ts";
import { ZONE_LIMITS } from "../../generated/zone-help.ts";

interface InputProps {
  readonly described: ZoneDraft;
  readonly errors: OptionErrors;
}

/** Where the zone reads its contact: a line, the messages of a topic, an alarm panel, or nothing. */
export function ZoneInputOptions({ described, errors }: InputProps) {
  const input = inputOf(described.zone);
  if ("gpio" in input || described.zone["input"] === undefined)
    return <LineOptions {...{ described, errors }} />;
  if ("simulated" in input) return <p class="quiet">{t("zoneForm.simulated")}</p>;
  if ("supply" in input) return <p class="quiet">{t("zoneForm.supply")}</p>;
  if ("mqtt" in input) return <MessageOptions {...{ described, errors }} />;
  return (
    <SectionOption
      option="input"
      label={t("zones.source")}
      value={input}
      errors={errors}
      onValue={(value) => setOptions({ input: value })}
    />
  );
}

function LineOptions({ described, errors }: InputProps) {
  const { gpio, chip = "", contact = "nc", bias = "as-is" } = inputOf(described.zone);
  const chips = configuredZones.value?.chips ?? [];
  return (
    <div class="grid">
      {(chips.length > 0 || chip !== "") && (
        <ChoiceOption
          option="input.chip"
          label={t("option.chip")}
          value={chip}
          errors={errors}
          choices={[
            ["", t("option.chip.default")],
            ...[...new Set([...chips, ...(chip === "" ? [] : [chip])])].map((name) => [name, name] as const),
          ]}
          onChoice={(name) => setInput({ chip: name })}
        />
      )}
      <TextOption
        option="input.gpio"
        label={t("question.zone-gpio")}
        value={gpio}
        errors={errors}
        isRequired
        numbers={ZONE_LIMITS["input.gpio"]}
        onText={(text) => setInput({ gpio: text === "" ? undefined : Number(text) })}
      />
      <ChoiceOption
        option="input.contact"
        label={t("question.zone-contact")}
        value={contact}
        errors={errors}
        choices={[
          ["nc", t("choice.zone-contact.nc")],
          ["no", t("choice.zone-contact.no")],
        ]}
        onChoice={(value) => setInput({ contact: value })}
      />
      <ChoiceOption
        option="input.bias"
        label={t("option.bias")}
        value={bias}
        errors={errors}
        choices={[
          ["as-is", t("option.bias.as-is")],
          ["pull-up", "pull-up"],
          ["pull-down", "pull-down"],
        ]}
        onChoice={(value) => setInput({ bias: value === "as-is" ? undefined : value })}
      />
    </div>
  );
}

/** Open for a topic that was entered by hand or picked; a proposal has them filled in already. */
function MessageOptions({ described, errors }: InputProps) {
  const { zone, doubts, fields } = described;
  const { mqtt, path, bits, open, normal, where } = inputOf(zone);
  return (
    <FoldedOptions
      title={t("zoneForm.message")}
      isOpen={doubts === undefined && described.changes === undefined}
      errors={errors}
    >
      <TextOption
        option="input.mqtt"
        label={t("question.zone-topic")}
        value={mqtt}
        errors={errors}
        isRequired
        isCode
        onText={(text) => setInput({ mqtt: text })}
      />
      <OneSensorOption {...{ described, errors }} />
      {fields ? (
        <ChoiceOption
          option="input.path"
          label={t("zoneForm.value")}
          value={path ?? ""}
          errors={errors}
          choices={fields.map((field) => [
            field.path ?? "",
            `${field.path ?? t("zoneForm.whole")}: ${String(field.value)}`,
          ])}
          onChoice={(text) => setInput({ path: text || undefined, ...meaningAt(text, described) })}
        />
      ) : (
        <TextOption
          option="input.path"
          label={t("question.zone-path")}
          value={path}
          errors={errors}
          isCode
          onText={(text) => setInput({ path: text })}
        />
      )}
      {bits !== undefined && (
        <TextOption
          option="input.bits"
          label={t("option.bits")}
          value={typeof bits === "number" ? bits : undefined}
          errors={errors}
          numbers={ZONE_LIMITS["input.bits"]}
          onText={(text) => setInput({ bits: text === "" ? undefined : Number(text) })}
        />
      )}
      <div class="grid">
        <ValuesOption option="open" values={open} errors={errors} />
        <ValuesOption option="normal" values={normal} errors={errors} />
      </div>
      <SectionOption
        option="input.where"
        label={t("option.where")}
        value={where}
        errors={errors}
        onValue={(value) => setInput({ where: value })}
      />
    </FoldedOptions>
  );
}

/** What the value at `chosen` of the message most likely means; nothing if the user has entered another meaning of the present one. */
function meaningAt(
  chosen: string,
  { zone, guesses }: InputProps["described"],
): Partial<Pick<InputText, "open" | "normal">> {
  const { path = "", open, normal } = inputOf(zone);
  const likely = (at: string) => ({
    open: undefined,
    normal: undefined,
    ...meaningOf(guesses?.find((guess) => (guess.path ?? "") === at)),
  });
  const isAsGuessed = JSON.stringify({ open, normal }) === JSON.stringify(likely(path));
  return isAsGuessed ? likely(chosen) : {};
}

/** For several topics, which may be those of several sensors. */
function OneSensorOption({ described, errors }: InputProps) {
  const { mqtt = "", oneSensor } = inputOf(described.zone);
  if (oneSensor === undefined && !/[+#]/.test(mqtt)) return null;
  return (
    <ChoiceOption
      option="input.oneSensor"
      label={t("option.oneSensor")}
      value={oneSensor === true ? "true" : ""}
      errors={errors}
      choices={[
        ["", t("value.false")],
        ["true", t("value.true")],
      ]}
      onChoice={(value) => setInput({ oneSensor: value === "true" || undefined })}
    />
  );
}

function ValuesOption({
  option,
  values,
  errors,
}: {
  readonly option: "open" | "normal";
  readonly values: unknown;
  readonly errors: OptionErrors;
}) {
  // What is typed stays as it is while it has these values: a comma that is followed by none yet would disappear.
  const [typed, setTyped] = useState("");
  const isAsTyped = JSON.stringify(valuesIn(typed)) === JSON.stringify(values);
  return (
    <TextOption
      option={`input.${option}`}
      label={t(`option.${option}`)}
      value={isAsTyped ? typed : valuesText(values)}
      errors={errors}
      isCode
      isRequired={option === "open"}
      onText={(text) => {
        setTyped(text);
        setInput({ [option]: valuesIn(text) });
      }}
    />
  );
}
