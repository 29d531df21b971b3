import "./menu.css";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

/**
 * A button that opens a list of actions beneath it. Arrow keys, Home and End move through it. Escape and a press elsewhere close
 * it, so does the focus when it leaves, and so does a choice; then the button has the focus again.
 * @param label name of the button for screen readers
 * @param staysOpen after a choice: for what is pressed several times
 */
export function Menu({
  label,
  icon = "ellipsis",
  staysOpen = false,
  children,
}: {
  readonly label: string;
  readonly icon?: IconName;
  readonly staysOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useClosing(isOpen, place, (isByKey) => {
    setIsOpen(false);
    if (isByKey) button.current?.focus();
  });
  // Drawn before the focus moves into it.
  const [isEntered, setIsEntered] = useState(false);
  useLayoutEffect(() => {
    // At the end of the page all of it is shown.
    if (isOpen) list.current?.scrollIntoView({ block: "nearest" });
    if (isOpen && isEntered) itemsOf(list.current)[0]?.focus();
    setIsEntered(false);
  }, [isOpen]);
  const choose = (): void => {
    if (staysOpen) return;
    setIsOpen(false);
    button.current?.focus();
  };
  const moveByKey = (event: KeyboardEvent): void => {
    const items = itemsOf(list.current);
    const at = items.findIndex((item) => item === document.activeElement);
    const next = nextPlace(event.key, at, items.length);
    if (next === undefined) return;
    event.preventDefault();
    if (isOpen) items[next]?.focus();
    else if (event.key === "ArrowDown") {
      setIsEntered(true);
      setIsOpen(true);
    }
  };
  return (
    <div class="menu" ref={place} onKeyDown={moveByKey}>
      <button
        type="button"
        class="plain"
        ref={button}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={icon} />
      </button>
      {isOpen && (
        <div class="menu-list" ref={list} onClick={choose}>
          {children}
        </div>
      )}
    </div>
  );
}

/** Closes what is open on Escape, and on a press or a focus elsewhere. */
function useClosing(
  isOpen: boolean,
  place: { readonly current: HTMLElement | null },
  close: (isByKey: boolean) => void,
): void {
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event): void => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) close(false);
    };
    const closeByKey = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") close(true);
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("keydown", closeByKey);
    document.addEventListener("focusin", closeOutside);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("keydown", closeByKey);
      document.removeEventListener("focusin", closeOutside);
    };
  }, [isOpen]);
}

function itemsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>("a, button:not(:disabled)") ?? [])];
}

/** The place to which a key moves, around the ends; undefined for another key. */
function nextPlace(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowDown") return (at + 1) % Math.max(1, count);
  if (key === "ArrowUp") return (Math.max(0, at) - 1 + count) % Math.max(1, count);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}
