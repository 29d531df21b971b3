import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n.ts";
import { Menu } from "../menu.tsx";
import { isDisabled, zoneTextId } from "../zone-list-edits.ts";
import type { ZoneText } from "../zone-draft.ts";

/** Height of the menu of a zone, in pixels. */
const MENU_PX = 360;

/** What a row of the list offers. */
interface ZoneRowMenuProps {
  readonly zone: ZoneText;
  readonly name: string;
  /** Undefined at the end of the list. */
  readonly moveUp: (() => void) | undefined;
  readonly moveDown: (() => void) | undefined;
  readonly copy: () => void;
  readonly toggle: () => void;
  readonly remove: () => void;
}

/**
 * The menu of a zone. It stays open while its row is moved, under the finger that presses it: the page scrolls by as much as the row
 * moves. Where it cannot, the menu closes, because the next press would meet another action. It opens upwards near the end of the page.
 */
export function ZoneRowMenu({ zone, name, moveUp, moveDown, copy, toggle, remove }: ZoneRowMenuProps) {
  const place = useRef<HTMLDivElement>(null);
  const { round, hold } = useStillMenu(place);
  const moved = (move: (() => void) | undefined) => (): void => {
    hold();
    move?.();
  };
  return (
    <div
      class="row-menu"
      ref={place}
      onPointerDownCapture={(event) => turn(event.currentTarget, event.target)}
      onKeyDownCapture={(event) => turn(event.currentTarget, event.target)}
    >
      {/* Another key closes it. */}
      <Menu key={round} label={t("edit.actions", { zone: name })} staysOpen>
        <a class="button" href={`#/zones/form?zone=${zoneTextId(zone)}`}>
          {t("edit.change")}
        </a>
        <a class="button" href="#/zones/form" onClick={copy}>
          {t("edit.copy")}
        </a>
        <button type="button" onClick={toggle}>
          {t(isDisabled(zone) ? "edit.enable" : "edit.disable")}
        </button>
        <button type="button" disabled={moveUp === undefined} onClick={moved(moveUp)}>
          {t("edit.up")}
        </button>
        <button type="button" disabled={moveDown === undefined} onClick={moved(moveDown)}>
          {t("edit.down")}
        </button>
        <hr />
        <button type="button" class="danger" onClick={remove}>
          {t("edit.delete")}
        </button>
      </Menu>
    </div>
  );
}

/** Before the menu opens: upwards if there is no room below it and more above. */
function turn(menu: HTMLElement, pressed: EventTarget | null): void {
  const button = pressed instanceof Element ? pressed.closest("button") : null;
  if (button?.getAttribute("aria-expanded") !== "false") return;
  const { top, bottom } = button.getBoundingClientRect();
  // What is fixed to the bottom of the page covers it.
  const covered = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom) || 0;
  const below = innerHeight - covered - bottom;
  menu.classList.toggle("up", below < MENU_PX && top > below);
}

/** Keeps an open menu where it is on the screen while its row moves. */
function useStillMenu(place: { readonly current: HTMLElement | null }) {
  const held = useRef<number | undefined>(undefined);
  const [round, setRound] = useState(0);
  const isClosed = useRef(false);
  const topNow = (): number => place.current?.getBoundingClientRect().top ?? 0;
  useLayoutEffect(() => {
    if (isClosed.current) place.current?.querySelector("button")?.focus();
    isClosed.current = false;
    const top = held.current;
    if (top === undefined || topNow() === top) return;
    held.current = undefined;
    scrollBy({ top: topNow() - top, behavior: "instant" });
    if (Math.abs(topNow() - top) < 1) return;
    isClosed.current = true;
    setRound(round + 1);
  });
  const hold = (): void => {
    held.current = topNow();
  };
  return { round, hold };
}
