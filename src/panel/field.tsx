import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t } from "./i18n.ts";

/** A text field with a label and an optional hint, linked for screen readers. */
export function TextField({
  label,
  name,
  type = "text",
  value,
  initial,
  hint,
  ...rest
}: {
  readonly label: string;
  readonly name: string;
  readonly type?: "text" | "email" | "password" | "number" | "datetime-local" | "search";
  /** The value of a controlled field. */
  readonly value?: string;
  /** The initial value of an uncontrolled field. */
  readonly initial?: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly autofocus?: boolean;
  readonly onInput?: (event: Event & { readonly currentTarget: HTMLInputElement }) => void;
}) {
  const id = useId();
  // JSX has a separate type for each input type; this component takes any of them.
  const kind: object = { type, ...rest };
  return (
    <p class={type === "search" ? "field search" : "field"}>
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        {...(value === undefined ? {} : { value })}
        {...(initial === undefined ? {} : { defaultValue: initial })}
        {...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}
        {...kind}
      />
      {hint !== undefined && (
        <span id={`${id}-hint`} class="quiet">
          {hint}
        </span>
      )}
    </p>
  );
}

/** The search of a list, whose label is in the field; `find` is called on every input. */
export function SearchField({
  text,
  find,
}: {
  readonly text: string;
  readonly find: (text: string) => void;
}) {
  return (
    <TextField
      label={t("app.search")}
      name="search"
      type="search"
      placeholder={t("app.search")}
      value={text}
      maxLength={200}
      onInput={(event) => find(event.currentTarget.value)}
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
}: {
  readonly label: string;
  readonly name: string;
  /** The value of a controlled list. */
  readonly value?: T;
  /** The initial value of an uncontrolled list. */
  readonly initial?: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange?: (value: T) => void;
}) {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        {...(value === undefined ? {} : { value })}
        onChange={(event) => onChange?.(event.currentTarget.value as T)}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === (value ?? initial)}>
            {text}
          </option>
        ))}
      </select>
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

/** A form that calls `onSubmit` instead of loading a new page. */
export function Form({
  onSubmit,
  children,
}: {
  readonly onSubmit: (fields: FormData) => Promise<void> | void;
  readonly children: ComponentChildren;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
    </form>
  );
}

/** The text of a field; empty if missing. */
export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === "string" ? value : "";
}
