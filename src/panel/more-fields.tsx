import "./search.css";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { TextField } from "./field.tsx";
import { t } from "./i18n.ts";
import { useSettled } from "./settled.ts";

/** The search of a list, whose label is in the field; `find` is called when the user pauses. */
export function SearchField({
  text,
  find,
}: {
  readonly text: string;
  readonly find: (text: string) => void;
}) {
  const [typed, setTyped] = useState(text);
  const settled = useSettled(typed);
  // What was found last; another text comes from elsewhere, such as Back.
  const found = useRef(text);
  useEffect(() => {
    if (settled === found.current) return;
    found.current = settled;
    find(settled);
  }, [settled]);
  useEffect(() => {
    if (text === found.current) return;
    found.current = text;
    setTyped(text);
  }, [text]);
  return (
    <TextField
      label={t("app.search")}
      name="search"
      type="search"
      placeholder={t("app.search")}
      value={typed}
      maxLength={200}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

/** A drop-down list. */
export function Choice<T extends string>({
  label,
  name,
  value,
  initial,
  options,
  onChange,
  isRequired = false,
  hint,
}: {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  /** The value of a controlled list. */
  readonly value?: T;
  /** The initial value of an uncontrolled list. */
  readonly initial?: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange?: (value: T) => void;
  /** Whether a form is not submitted without a value, as with an empty list. */
  readonly isRequired?: boolean;
}) {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        required={isRequired}
        {...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}
        {...(value === undefined ? {} : { value })}
        onChange={(event) => onChange?.(event.currentTarget.value as T)}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === (value ?? initial)}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <span id={`${id}-hint`} class="quiet">
          {hint}
        </span>
      )}
    </p>
  );
}

/** A multi-line text field. */
export function TextArea({
  label,
  name,
  value,
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
}) {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <textarea id={id} name={name} rows={4} maxLength={4000} defaultValue={value} />
    </p>
  );
}
