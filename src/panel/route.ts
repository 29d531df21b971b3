import { signal } from "@preact/signals";

/** The current screen and, if any, the open item. */
export interface Route {
  readonly screen: string;
  readonly item: string | undefined;
  /** The action on the item, such as `edit`. */
  readonly action: string | undefined;
}

/** Follows the URL, so that back, reload and bookmarks work. */
export const route = signal<Route>(parseHash(location.hash));

addEventListener("hashchange", () => {
  route.value = parseHash(location.hash);
});

export function go(address: string): void {
  location.hash = address;
}

function parseHash(hash: string): Route {
  const [screen = "", item, action] = hash.replace(/^#\/?/, "").split("/");
  return { screen: screen === "" ? "status" : screen, item, action };
}
