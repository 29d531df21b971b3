import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { AS_TYPED } from "./as-typed.ts";
import { errorOf, type OptionErrors } from "./option-errors.ts";
import { DaemonText } from "./daemon-text.tsx";
import { t, translateCode } from "./i18n.ts";
import { draft, jsonIn, keepUnread } from "./zone-draft.ts";

/** What links a control to its label, help and error. */
export interface ControlNames {
  readonly id: string;
  readonly "aria-describedby": string;
  readonly "aria-invalid": boolean;
}

/** An option of a zone: its label, a control and its help; an error replaces the help. */
export function OptionField({
  option,
  label,
  help,
  problem,
  errors,
  children,
}: {
  /** Name in the configuration, such as `input.gpio`. */
  readonly option: string;
  readonly label: string;
  /** Default: the description of the schema. */
  readonly help?: string;
  /** What is wrong with the text as typed. */
  readonly problem?: string;
  readonly errors: OptionErrors;
  readonly children: (names: ControlNames) => ComponentChildren;
}) {
  const id = useId();
  const error = errorOf(errors, option);
  const isWrong = error !== undefined || problem !== undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint`, "aria-invalid": isWrong })}
      <span id={`${id}-hint`} class={isWrong ? "word s-fault" : "quiet"}>
        {problem ?? (error === undefined ? (help ?? helpOf(option)) : <DaemonText text={error} />)}
      </span>
    </div>
  );
}

/** The description of the schema, without the marks of code. */
function helpOf(option: string): string {
  return translateCode("zoneHelp", option, "").replace(/`/g, "");
}

/** An option as a single line of text. */
export function TextOption({
  option,
  label,
  help,
  value,
  errors,
  isRequired = false,
  isCode = false,
  numbers,
  onText,
}: {
  readonly option: string;
  readonly label: string;
  readonly help?: string;
  readonly value: string | number | undefined;
  readonly errors: OptionErrors;
  readonly isRequired?: boolean;
  /** Whether it is typed as in the configuration, without the corrections of a phone. */
  readonly isCode?: boolean;
  /** Smallest and largest number; a text without it. */
  readonly numbers?: readonly [min: number, max: number];
  readonly onText: (text: string) => void;
}) {
  // JSX has a separate type for each input type.
  const kind: object = {
    ...(numbers ? { type: "number", min: numbers[0], max: numbers[1] } : { type: "text", maxLength: 1024 }),
    ...(isCode ? { ...AS_TYPED, autocomplete: "off" } : {}),
  };
  return (
    <OptionField option={option} label={label} errors={errors} {...(help === undefined ? {} : { help })}>
      {(names) => (
        <input
          {...names}
          name={option}
          required={isRequired}
          value={value ?? ""}
          {...kind}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </OptionField>
  );
}

/** An option with a list of values; the first may stand for its default. */
export function ChoiceOption({
  option,
  label,
  help,
  value,
  errors,
  choices,
  isRequired = false,
  onChoice,
}: {
  readonly option: string;
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly errors: OptionErrors;
  readonly choices: readonly (readonly [value: string, text: string])[];
  /** Whether a form is not submitted while the empty value is chosen. */
  readonly isRequired?: boolean;
  readonly onChoice: (value: string) => void;
}) {
  return (
    <OptionField option={option} label={label} errors={errors} {...(help === undefined ? {} : { help })}>
      {(names) => (
        <select
          {...names}
          name={option}
          required={isRequired}
          value={value}
          onChange={(event) => onChoice(event.currentTarget.value)}
        >
          {choices.map(([one, text]) => (
            <option key={one} value={one} selected={one === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </OptionField>
  );
}

/** A section of the configuration as JSON, which is YAML too. */
export function SectionOption({
  option,
  label,
  value,
  errors,
  onValue,
}: {
  readonly option: string;
  readonly label: string;
  readonly value: unknown;
  readonly errors: OptionErrors;
  readonly onValue: (value: unknown) => void;
}) {
  const unread = draft.value?.unread?.[option];
  const [read, setRead] = useState(value === undefined ? "" : JSON.stringify(value));
  const problem = unread === undefined ? {} : { problem: t("zoneForm.notJson") };
  const enter = (text: string): void => {
    const typed = jsonIn(text);
    const isRead = typed !== undefined || text.trim() === "";
    setRead(text);
    keepUnread(option, isRead ? undefined : text);
    if (isRead) onValue(typed);
  };
  return (
    <OptionField option={option} label={label} errors={errors} {...problem}>
      {(names) => (
        <textarea
          {...names}
          // The browser does not submit the form with it: the former value would be saved.
          ref={(field) => field?.setCustomValidity(problem.problem ?? "")}
          class="code"
          name={option}
          rows={2}
          value={unread ?? read}
          spellcheck={false}
          onInput={({ currentTarget }) => enter(currentTarget.value)}
        />
      )}
    </OptionField>
  );
}

/** Options that are folded; they unfold when one of them has an error. */
export function FoldedOptions({
  title,
  isOpen = false,
  errors,
  children,
}: {
  readonly title: string;
  readonly isOpen?: boolean;
  readonly errors: OptionErrors;
  readonly children: ComponentChildren;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  const unfold = (): void => {
    if (details.current) details.current.open = true;
  };
  useLayoutEffect(() => {
    if (details.current?.querySelector("[aria-invalid=true]")) unfold();
  }, [JSON.stringify(errors)]);
  return (
    // A field that the browser rejects needs a place in which it is shown with the reason.
    <details ref={details} open={isOpen} onInvalidCapture={unfold}>
      <summary>{title}</summary>
      <div class="stack">{children}</div>
    </details>
  );
}
