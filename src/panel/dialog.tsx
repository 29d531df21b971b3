import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "./i18n.ts";

/**
 * A modal dialog. The browser keeps the focus inside and returns it afterwards.
 * @param onCancel undefined for a dialog that cannot be cancelled
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
 * Asks for confirmation before an action with effects beyond this page.
 * @param action label of the confirm button
 * @param act runs after the dialog is closed
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
