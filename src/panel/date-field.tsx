import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "./i18n.ts";

/** The date fields of a form. */
export type DateName = "dateStart" | "dateEnd";

/** What is wrong with the dates of a form, by field: a kind of problem, or what the daemon says about it. */
export type DateProblems = Readonly<Record<DateName, DateProblem>>;
type DateProblem = "unreadable" | "before" | { readonly said: string } | undefined;
export const NO_DATE_PROBLEMS: DateProblems = { dateStart: undefined, dateEnd: undefined };

/** What a browser without date fields sends as it was typed. */
const WHOLE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

/** A date with time; an error is shown beside it, in the language of the panel and not of the browser. */
export function DateField({
  name,
  label,
  initial,
  problem,
  setProblem,
  onInput,
}: {
  readonly name: DateName;
  readonly label: string;
  readonly initial: string;
  readonly problem: DateProblem;
  readonly setProblem: (problem: DateProblem) => void;
  readonly onInput: (field: HTMLInputElement) => void;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (typeof problem === "object") field.current?.focus();
  }, [problem]);
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={field}
        name={name}
        data-error="own"
        type="datetime-local"
        max="9999-12-31T23:59"
        defaultValue={initial}
        aria-invalid={problem !== undefined}
        {...(problem === undefined ? {} : { "aria-describedby": `${id}-problem` })}
        onInput={(event) => onInput(event.currentTarget)}
        onInvalid={(event) => {
          // Its own bubble is in the language of the browser, and closes.
          event.preventDefault();
          const { value, validity } = event.currentTarget;
          setProblem(validity.customError && WHOLE.test(value) ? "before" : "unreadable");
        }}
      />
      {problem !== undefined && (
        <span id={`${id}-problem`} class="word s-fault" role="alert">
          {typeof problem === "string" ? t(`record.date.${problem}`) : problem.said}
        </span>
      )}
    </p>
  );
}

/**
 * Marks the dates of a form that must not be sent, so that the browser refuses to submit it.
 * @param sent the date of a field as it would be sent; null for none
 */
export function checkDates(form: HTMLFormElement, sent: (name: DateName) => string | null): void {
  const fieldOf = (name: DateName): HTMLInputElement => form.elements.namedItem(name) as HTMLInputElement;
  const names = ["dateStart", "dateEnd"] as const;
  const isWhole = names.every((name) => {
    const { value } = fieldOf(name);
    const isReadable = value === "" || WHOLE.test(value);
    fieldOf(name).setCustomValidity(isReadable ? "" : "unreadable");
    return isReadable;
  });
  const [start, end] = names.map(sent);
  if (isWhole && isBefore(end ?? null, start ?? null)) fieldOf("dateEnd").setCustomValidity("before");
}

/** Local times of the site compare as text; the daemon compares those with an offset. */
function isBefore(end: string | null, start: string | null): boolean {
  if (end === null || start === null || [end, start].some((date) => /(?:Z|[+-]\d\d:\d\d)$/.test(date)))
    return false;
  return inSeconds(end) < inSeconds(start);
}

/** A field has no seconds, a date of a record may have them. */
function inSeconds(date: string): string {
  return date.padEnd(19, ":00");
}

/** The field that a refusal of the daemon is about; undefined for another one. */
export function refusedDate(message: string): DateName | undefined {
  return /^date(?:Start|End)\b/.exec(message)?.[0] as DateName | undefined;
}
