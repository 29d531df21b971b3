import { fillIn, language } from "./i18n.ts";
import { EN_FIELDS } from "./messages/en-fields.ts";
import { RO_FIELDS } from "./messages/ro-fields.ts";

/** In both languages: the sign-in has only the texts of the start, and a user may choose the other one while an error is shown. */
const TEXTS = { en: EN_FIELDS, ro: RO_FIELDS };

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The attributes that a control has while no error is shown beside it. */
const LINKS = ["aria-describedby", "aria-invalid"] as const;

interface Shown {
  readonly line: HTMLElement;
  readonly help: HTMLElement | null;
  readonly links: readonly (string | null)[];
  readonly text: () => string;
}

const shown = new Map<Control, Shown>();

/**
 * Says what is wrong with the fields of every form in the language of the panel, in the place of their help, until they are changed.
 * The bubble of a browser is in the language of the browser, and closes.
 */
export function watchFields(page: Document): void {
  page.addEventListener(
    "invalid",
    (event) => {
      const control = event.target;
      if (!isControl(control)) return;
      event.preventDefault();
      const isFirst = firstInvalid(control.form) === control;
      if (!saysItself(control)) show(control, () => reasonOf(control), isFirst);
      if (isFirst) lead(control);
    },
    true,
  );
  const forget = ({ target }: Event): void => {
    if (isControl(target)) hide(target);
  };
  page.addEventListener("input", forget, true);
  page.addEventListener("change", forget, true);
  page.addEventListener(
    "submit",
    ({ target }) => {
      for (const control of shown.keys()) if (control.form === target) hide(control);
    },
    true,
  );
  language.subscribe(() => {
    for (const { line, text } of shown.values()) line.textContent = text();
  });
}

/** Shows beside a field why the daemon has refused it, and leads there: it may be behind a bar. */
export function showFieldError(control: HTMLInputElement, text: string): void {
  show(control, () => text, true);
  lead(control);
}

/** @param isAnnounced of several errors only one is read aloud at once */
function show(control: Control, text: () => string, isAnnounced: boolean): void {
  hide(control);
  const field = control.closest<HTMLElement>(".field");
  const line = document.createElement("span");
  line.id = `${control.id}-error`;
  line.className = "word s-fault";
  if (isAnnounced) line.setAttribute("role", "alert");
  if (field) field.append(line);
  else control.after(line);
  line.textContent = text();
  const links = LINKS.map((name) => control.getAttribute(name));
  const help = field?.querySelector<HTMLElement>(`[id="${control.id}-hint"]`) ?? null;
  if (help) help.hidden = true;
  control.setAttribute("aria-describedby", line.id);
  control.setAttribute("aria-invalid", "true");
  shown.set(control, { line, help, links, text });
}

function hide(control: Control): void {
  const { line, help, links = [] } = shown.get(control) ?? {};
  if (!shown.delete(control)) return;
  line?.remove();
  if (help) help.hidden = false;
  for (const [index, name] of LINKS.entries()) {
    const former = links[index] ?? null;
    if (former === null) control.removeAttribute(name);
    else control.setAttribute(name, former);
  }
}

/** In the next frame: what is folded opens for the field first. */
function lead(control: Control): void {
  requestAnimationFrame(() => {
    control.focus({ preventScroll: true });
    (control.closest(".field") ?? control).scrollIntoView({ block: "nearest" });
  });
}

/** Whether its component shows what is wrong: with a date, or with an option that is already marked. */
function saysItself(control: Control): boolean {
  if (control.dataset["error"] === "own") return true;
  return (
    control.validity.customError && control.getAttribute("aria-invalid") === "true" && !shown.has(control)
  );
}

/** Why the browser does not submit the field. */
function reasonOf(control: Control): string {
  const { validity, validationMessage, value } = control;
  if (validity.customError) return validationMessage;
  const attributes = Object.fromEntries(
    ["min", "max", "minLength", "maxLength"].map((name) => [name, control.getAttribute(name) ?? ""]),
  );
  return fillIn(TEXTS[language.value][reasonIn(validity, control.type)], { ...attributes, value });
}

function reasonIn(validity: ValidityState, type: string): keyof typeof EN_FIELDS {
  const isDate = /date|time|month|week/.test(type);
  if (validity.badInput) return isDate ? "notDate" : "notNumber";
  if (validity.valueMissing)
    return type === "file" ? "noFile" : type === "select-one" ? "notChosen" : "missing";
  if (validity.typeMismatch && type === "email") return "notEmail";
  if (validity.rangeUnderflow) return "tooSmall";
  if (validity.rangeOverflow) return "tooLarge";
  if (validity.stepMismatch && type === "number") return "notWhole";
  if (validity.tooLong) return "tooLong";
  return validity.tooShort ? "tooShort" : "notPossible";
}

function firstInvalid(form: HTMLFormElement | null): Element | undefined {
  return [...(form?.elements ?? [])].find((one) => isControl(one) && !one.validity.valid);
}

function isControl(target: unknown): target is Control {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  );
}
