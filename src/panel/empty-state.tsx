import "./empty.css";
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

/** What belongs where nothing is yet, or where no filter fits, and as children the way on. */
export function EmptyState({
  icon,
  text,
  children,
}: {
  readonly icon: IconName;
  readonly text: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty card">
      <span class="disc">
        <Icon name={icon} />
      </span>
      <p>{text}</p>
      {children}
    </div>
  );
}
