import "../settings.css";
import type { ComponentChildren } from "preact";
import { t } from "../i18n.ts";
import type { MessageKey } from "../messages/catalogue.ts";
import { route, setQuery } from "../route.ts";

/** Between the names of the open sections in the address. */
const SEPARATOR = ".";

/**
 * A subject of the settings, closed at first: on a phone all of them together are fifteen screens long. The address has the open
 * ones, for Back and bookmarks. Their content is in the page, so that the browser's search finds it and opens them.
 */
export function SettingsSection({
  name,
  title,
  children,
}: {
  readonly name: string;
  readonly title: MessageKey;
  readonly children: ComponentChildren;
}) {
  const follow = (isOpen: boolean): void => {
    // The event follows the change, perhaps after the screen.
    if (route.value.screen !== "settings" || openSections().includes(name) === isOpen) return;
    const others = openSections().filter((one) => one !== name);
    setQuery({ open: (isOpen ? [...others, name] : others).join(SEPARATOR) });
  };
  return (
    <details
      class="card subject"
      open={openSections().includes(name)}
      onToggle={({ currentTarget }) => follow(currentTarget.open)}
    >
      <summary>
        <h2>{t(title)}</h2>
      </summary>
      <div class="stack">{children}</div>
    </details>
  );
}

function openSections(): readonly string[] {
  const { open = "" } = route.value.query;
  return open.split(SEPARATOR).filter((name) => name !== "");
}
