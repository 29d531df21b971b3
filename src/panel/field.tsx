import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t } from "./i18n.ts";

/** A text field with its label above and, where there is one, a sentence below that a screen reader reads with it. */
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
  /** What it holds, where somebody else keeps it. */
  readonly value?: string;
  /** What it holds at first, where it keeps it itself. */
  readonly initial?: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly autofocus?: boolean;
  readonly onInput?: (event: Event & { readonly currentTarget: HTMLInputElement }) => void;
}) {
  const id = useId();
  // JSX knows a type of its own for each kind of input; this one is any of them.
  const kind: object = { type, ...rest };
  return (
    <p class="field">
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

/** Looks for what has this text in it, with every letter. */
export function SearchField({
  label = t("app.search"),
  name = "search",
  text,
  find,
}: {
  readonly label?: string;
  readonly name?: string;
  readonly text: string;
  readonly find: (text: string) => void;
}) {
  return (
    <TextField
      label={label}
      name={name}
      type="search"
      value={text}
      maxLength={200}
      onInput={(event) => find(event.currentTarget.value)}
    />
  );
}

/** A choice out of a few. */
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
  /** What is chosen, where somebody else keeps it. */
  readonly value?: T;
  /** What is chosen at first, where it keeps it itself. */
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

/** A text of many lines. */
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

/** Yes or no. */
export function Checkbox({
  label,
  name,
  checked,
}: {
  readonly label: string;
  readonly name: string;
  readonly checked: boolean;
}) {
  return (
    <label class="check">
      <input type="checkbox" name={name} defaultChecked={checked} /> {label}
    </label>
  );
}

/** A form that keeps to itself: what happens with its fields is the panel's affair, never a new page. */
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

/** A field's text; empty where there is none. */
export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === "string" ? value : "";
}
