import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "./i18n.ts";

/**
 * Stands in front of the page until it is answered. The browser keeps the focus inside and gives it back afterwards.
 * @param onCancel undefined for one that cannot be waved away
 */
export function Dialog({
  title,
  children,
  onCancel,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onCancel: (() => void) | undefined;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onCancel?.();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}

/**
 * Asks before something is done that reaches beyond this page.
 * @param action the word on the button that does it
 * @param act what that button does, once the question is away
 */
export function ConfirmDialog({
  title,
  action,
  isDanger = false,
  act,
  close,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly isDanger?: boolean;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <Dialog title={title} onCancel={close}>
      {children}
      <button
        type="button"
        class={isDanger ? "danger" : "main"}
        onClick={() => {
          close();
          void act();
        }}
      >
        {action}
      </button>
      <button type="button" onClick={close}>
        {t("app.cancel")}
      </button>
    </Dialog>
  );
}
