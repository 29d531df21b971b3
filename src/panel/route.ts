import { signal } from "@preact/signals";

/** Where the person is: a screen and, where it has one, the thing that is open on it. */
export interface Route {
  readonly screen: string;
  readonly item: string | undefined;
  /** What is being done to it, such as `edit`. */
  readonly action: string | undefined;
}

/** Follows the address, so that back, reload and a bookmark do what they always do. */
export const place = signal<Route>(placeOf(location.hash));

addEventListener("hashchange", () => {
  place.value = placeOf(location.hash);
});

export function go(address: string): void {
  location.hash = address;
}

function placeOf(hash: string): Route {
  const [screen = "", item, action] = hash.replace(/^#\/?/, "").split("/");
  return { screen: screen === "" ? "status" : screen, item, action };
}
