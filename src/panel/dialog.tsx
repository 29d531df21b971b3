import "./dialog.css";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Act, lostReason } from "./act.tsx";
import { t } from "./i18n.ts";
import { NoticeLine, openDialogs } from "./notice.tsx";

/**
 * A modal dialog. The browser keeps the focus inside; afterwards it returns to the element that opened the dialog, or to
 * the content of the page if that element is gone.
 * @param isSheet at the edge of the window: below on a phone, at the right on wider screens
 * @param onCancel undefined for a dialog that cannot be cancelled
 */
export function Dialog({
  title,
  head,
  isSheet = false,
  children,
  onCancel,
}: {
  readonly title: string;
  /** Shown instead of the title; must contain it with the given id. */
  readonly head?: (titleId: string) => ComponentChildren;
  readonly isSheet?: boolean;
  readonly children: ComponentChildren;
  readonly onCancel: (() => void) | undefined;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const reason = lostReason();
  useLayoutEffect(() => {
    const shown = dialog.current;
    const { activeElement } = document;
    // A menu closes when its dialog opens; its button stays.
    const opener = activeElement?.closest(".menu")?.querySelector("button") ?? activeElement;
    shown?.showModal();
    openDialogs.value = [...openDialogs.value, titleId];
    return () => {
      openDialogs.value = openDialogs.value.filter((one) => one !== titleId);
      shown?.close();
      restoreFocus(opener);
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isSheet ? "sheet" : ""}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        // Between its end and its return, the next one would reach the page behind it, and clear a search field.
        if (!onCancel && event.key === "Escape") event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onCancel?.();
      }}
      onClose={({ currentTarget }) => {
        // The browser lets a page refuse one Escape or Back; it closes the dialog with the next.
        if (!currentTarget.isConnected) return;
        if (onCancel) onCancel();
        else currentTarget.showModal();
      }}
      onClick={(event) => {
        if (isSheet && isOutside(event)) onCancel?.();
      }}
    >
      {head ? head(titleId) : <h2 id={titleId}>{title}</h2>}
      {reason !== undefined && <p class="quiet">{reason}</p>}
      {children}
      <NoticeLine dialog={titleId} />
    </dialog>
  );
}

/** Whether the backdrop was pressed, which belongs to the dialog element as its edge and its gaps do. */
function isOutside({ target, currentTarget, clientX, clientY }: MouseEvent): boolean {
  if (target !== currentTarget || !(target instanceof HTMLElement)) return false;
  const { left, right, top, bottom } = target.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/** After the page is drawn: the action of a dialog may replace the button that opened it. */
function restoreFocus(opener: Element | null): void {
  requestAnimationFrame(() => {
    const { activeElement } = document;
    if (activeElement !== null && activeElement !== document.body) return;
    if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) opener.focus();
    else document.getElementById("content")?.focus({ preventScroll: true });
  });
}

/**
 * Asks for confirmation before an action with effects beyond this page.
 * @param action label of the confirm button
 * @param cancel label of the other one
 * @param isLocal whether the action does not need the daemon
 * @param act runs after the dialog is closed
 */
export function ConfirmDialog({
  title,
  action,
  cancel = t("app.cancel"),
  isDanger = false,
  isLocal,
  act,
  close,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly cancel?: string;
  readonly isDanger?: boolean;
  readonly isLocal?: boolean;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <Dialog title={title} onCancel={close}>
      {children}
      <div class="row">
        <Act
          class={isDanger ? "danger main" : "main"}
          isLocal={isLocal}
          onClick={() => {
            close();
            void act();
          }}
        >
          {action}
        </Act>
        {/* Enter does no harm by itself. */}
        <button type="button" autofocus={isDanger} onClick={close}>
          {cancel}
        </button>
      </div>
    </Dialog>
  );
}
