import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

/**
 * A button that opens a list of actions beneath it. Escape and a press elsewhere close it; the focus returns to the
 * button.
 * @param label name of the button for screen readers
 */
export function Menu({
  label,
  icon = "ellipsis",
  children,
}: {
  readonly label: string;
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event): void => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) setIsOpen(false);
    };
    const closeByKey = ({ key }: KeyboardEvent): void => {
      if (key !== "Escape") return;
      setIsOpen(false);
      button.current?.focus();
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("keydown", closeByKey);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("keydown", closeByKey);
    };
  }, [isOpen]);
  return (
    <div class="menu" ref={place}>
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
      {isOpen && <div class="menu-list">{children}</div>}
    </div>
  );
}
