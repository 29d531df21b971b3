import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

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
