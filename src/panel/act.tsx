import type { ComponentChildren } from "preact";
import { ApiError } from "./http.ts";
import { isLost, tryNow } from "./live-updates.ts";
import { errorText, showNotice } from "./notice.tsx";

/**
 * The button of an action of the daemon, such as a change. While the page has lost the daemon it only gives the reason, and
 * what was entered stays. It keeps the focus, which a button of the attribute `disabled` would lose.
 */
export function Act({
  onClick,
  isLocal,
  children,
  ...rest
}: {
  readonly type?: "submit";
  readonly class?: string;
  readonly disabled?: boolean;
  readonly "aria-label"?: string;
  readonly "aria-pressed"?: boolean;
  readonly onClick?: () => void;
  /** Whether the page does it without the daemon. */
  readonly isLocal?: boolean | undefined;
  readonly children: ComponentChildren;
}) {
  const reason = isLocal ? undefined : lostReason();
  return (
    <button
      type="button"
      {...rest}
      {...(reason === undefined ? {} : { "aria-disabled": true, title: reason })}
      onClick={(event) => {
        if (reason === undefined) return onClick?.();
        // Enter in a field presses the button of its form. A menu stays open.
        event.preventDefault();
        event.stopPropagation();
        // Not as an error, which would stay beside an action that succeeds.
        showNotice(reason);
        tryNow();
      }}
    >
      {children}
    </button>
  );
}

/** Why no action is possible now; undefined while the page is connected. */
export function lostReason(): string | undefined {
  return isLost.value ? errorText(new ApiError(0, "")) : undefined;
}
