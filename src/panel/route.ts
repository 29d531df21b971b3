import { signal } from "@preact/signals";

/** The current screen and, if any, the open item. */
export interface Route {
  readonly screen: string;
  readonly item: string | undefined;
  /** The action on the item, such as `edit`. */
  readonly action: string | undefined;
  /** Filters, page and selection of the screen. */
  readonly query: Readonly<Record<string, string>>;
}

/** Follows the URL, so that back, reload and bookmarks work. */
export const route = signal<Route>(parseHash(location.hash));

/** Where the page was before the current address. */
let previous: Route | undefined;

addEventListener("hashchange", () => {
  previous = route.value;
  route.value = parseHash(location.hash);
});

/** Whether the page before this one was the list of this screen, so that Back leads to it. */
export function isFromList(): boolean {
  return previous?.screen === route.value.screen && previous.item === undefined;
}

export function go(address: string): void {
  location.hash = address;
}

/** Changes of filters, page or selection; an empty value removes one. */
export type QueryChange = Readonly<Record<string, string>>;

/** The address of the current screen with changed filters. */
export function addressWith(change: QueryChange): string {
  const { screen, item, action, query } = route.value;
  const path = ["#", screen, item, action].filter((part) => part !== undefined).join("/");
  const parameters = new URLSearchParams(
    Object.entries({ ...query, ...change }).filter(([, value]) => value !== ""),
  ).toString();
  return parameters === "" ? path : `${path}?${parameters}`;
}

/** Changes filters in place: the browser's Back leaves the screen, and returns to it with them. */
export function setQuery(change: QueryChange): void {
  const address = addressWith(change);
  history.replaceState(history.state, "", address);
  route.value = parseHash(address);
}

function parseHash(hash: string): Route {
  const [path = "", parameters = ""] = hash.replace(/^#\/?/, "").split("?");
  const [screen = "", item, action] = path.split("/");
  const query = Object.fromEntries(new URLSearchParams(parameters));
  return { screen: screen === "" ? "status" : screen, item, action, query };
}
