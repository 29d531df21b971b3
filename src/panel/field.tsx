import type { ComponentChildren, Ref } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { later } from "./clock.ts";
import { REQUEST_TIMEOUT_MS } from "./http.ts";
import { Icon } from "./icon.tsx";

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
  readonly autocapitalize?: "none";
  readonly autocorrect?: false;
  readonly spellcheck?: false;
  /** Whether the hint says what is wrong with the value. */
  readonly "aria-invalid"?: boolean | undefined;
  readonly ref?: Ref<HTMLInputElement>;
  readonly onInput?: (event: Event & { readonly currentTarget: HTMLInputElement }) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}) {
  const id = useId();
  // JSX has a separate type for each input type; this component takes any of them.
  const kind: object = { type, ...rest };
  return (
    <p class={type === "search" ? "field search" : "field"}>
      <label for={id}>{label}</label>
      {type === "search" && <Icon name="search" />}
      <input
        id={id}
        name={name}
        {...(value === undefined ? {} : { value })}
        {...(initial === undefined ? {} : { defaultValue: initial })}
        {...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` })}
        {...kind}
      />
      {hint !== undefined && (
        <span id={`${id}-hint`} class={rest["aria-invalid"] ? "word s-fault" : "quiet"}>
          {hint}
        </span>
      )}
    </p>
  );
}

/**
 * A form that calls `onSubmit` instead of loading a new page. A second submit is ignored while the first is under way, for as
 * long as a user waits for an answer; its main button shows that.
 */
export function Form({
  onSubmit,
  children,
}: {
  readonly onSubmit: (fields: FormData, form: HTMLFormElement) => Promise<void> | void;
  readonly children: ComponentChildren;
}) {
  const isBusy = useRef(false);
  const [isMarked, setIsMarked] = useState(false);
  const mark = (is: boolean): void => {
    isBusy.current = is;
    setIsMarked(is);
  };
  const submit = async (form: HTMLFormElement): Promise<void> => {
    if (isBusy.current) return;
    mark(true);
    const stop = later(REQUEST_TIMEOUT_MS, () => mark(false));
    try {
      await onSubmit(new FormData(form), form);
    } finally {
      stop();
      mark(false);
    }
  };
  return (
    <form
      aria-busy={isMarked}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      {children}
    </form>
  );
}

/** The text of a field; empty if missing. */
export function formText(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === "string" ? value : "";
}
