import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

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
