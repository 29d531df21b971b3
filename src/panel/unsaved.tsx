import { useLayoutEffect, useRef } from "preact/hooks";
import { ConfirmDialog } from "./dialog.tsx";
import { t } from "./i18n.ts";
import { guardLeaving, frameDialog, route, type Route } from "./route.ts";

/** What a user has entered and not saved. */
export interface Input {
  /** Whether it differs from what is stored. */
  readonly isChanged: () => boolean;
  /** Whether it is there at this address; default: at that of its screen. */
  readonly isAt?: (address: Route) => boolean;
  readonly discard: () => void;
}

const inputs = new Set<Input>();

/** Asks before this input is lost: when the page is closed or reloaded, and when its screen is left. @returns ends it */
export function guardUnsavedInput(input: Input): () => void {
  const { screen, item, action } = route.value;
  const isHere = (to: Route): boolean => to.screen === screen && to.item === item && to.action === action;
  const kept = { isAt: isHere, ...input };
  inputs.add(kept);
  return () => inputs.delete(kept);
}

// A browser shows its own text.
addEventListener("beforeunload", (event) => {
  if ([...inputs].some(({ isChanged }) => isChanged())) event.preventDefault();
});

guardLeaving((next, goOn) => {
  const lost = lostAt(next);
  if (lost.length === 0) return true;
  const close = (): void => {
    frameDialog.value = undefined;
  };
  const leave = (): Promise<void> => {
    for (const { discard } of lost) discard();
    goOn();
    return Promise.resolve();
  };
  frameDialog.value = () => (
    <ConfirmDialog
      title={t("unsaved.title")}
      action={t("unsaved.discard")}
      cancel={t("unsaved.stay")}
      isDanger
      isLocal
      act={leave}
      close={close}
    >
      <p>{t("unsaved.text")}</p>
    </ConfirmDialog>
  );
  return false;
});

/** The changed input that is at the current address and not at the next one. @param next undefined for none */
function lostAt(next: Route | undefined): readonly Input[] {
  const isIn = (input: Input, address: Route): boolean => input.isAt?.(address) === true;
  return [...inputs].filter(
    (input) => input.isChanged() && (!next || (isIn(input, route.value) && !isIn(input, next))),
  );
}

/** Input that a component holds. @param isChanged compared whenever the user leaves */
export function useUnsavedInput(isChanged: () => boolean): void {
  const latest = useRef(isChanged);
  latest.current = isChanged;
  useLayoutEffect(() => {
    let isDiscarded = false;
    const discard = (): void => {
      isDiscarded = true;
    };
    return guardUnsavedInput({ isChanged: () => !isDiscarded && latest.current(), discard });
  }, []);
}

/** Within a form: its fields are input. A new `key` says that they are saved. */
export function GuardUnsavedFields() {
  const mark = useRef<HTMLSpanElement>(null);
  const before = useRef(new Map<Element, string>());
  const form = (): HTMLFormElement | null | undefined => mark.current?.closest("form");
  useLayoutEffect(() => {
    const own = form();
    // A field has what is stored until the user enters it: lists may arrive after the form.
    const note = ({ target }: Event): void => {
      if (isField(target) && !before.current.has(target)) before.current.set(target, valueOf(target));
    };
    own?.addEventListener("focusin", note);
    return () => own?.removeEventListener("focusin", note);
  }, []);
  useUnsavedInput(() =>
    [...(form()?.elements ?? [])].some((field) => {
      if (!isField(field)) return false;
      const stored = before.current.get(field) ?? storedIn(field);
      return stored !== undefined && stored !== valueOf(field);
    }),
  );
  return <span hidden ref={mark} />;
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function isField(element: unknown): element is Field {
  if (element instanceof HTMLInputElement) return element.type !== "search";
  return element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;
}

function valueOf(field: Field): string {
  const isBox = field instanceof HTMLInputElement && field.type === "checkbox";
  return isBox ? String(field.checked) : field.value;
}

/** The stored value of a field that can be changed without being entered; undefined for others. */
function storedIn(field: Field): string | undefined {
  if (!(field instanceof HTMLInputElement)) return undefined;
  if (field.type === "file") return "";
  return field.type === "checkbox" ? String(field.defaultChecked) : undefined;
}

/** Leaves a form without a question: the user discards it by this link. */
export function CancelLink({ href }: { readonly href: string }) {
  const discard = ({ ctrlKey, metaKey, shiftKey }: MouseEvent): void => {
    if (ctrlKey || metaKey || shiftKey) return;
    for (const input of inputs) if (input.isAt?.(route.value) === true) input.discard();
  };
  return (
    <a class="button" href={href} onClick={discard}>
      {t("app.cancel")}
    </a>
  );
}
