import "./empty.css";
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

/** What belongs where nothing is yet, or where no filter fits, and as children the way on. @param drawing instead of the icon */
export function EmptyState({
  icon,
  drawing,
  text,
  children,
}: {
  readonly icon?: IconName;
  readonly drawing?: ComponentChildren;
  readonly text: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty card">
      {drawing}
      {icon && (
        <span class="disc">
          <Icon name={icon} />
        </span>
      )}
      <p>{text}</p>
      {children}
    </div>
  );
}
