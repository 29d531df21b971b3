import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";

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

/** The name of the item that is open, for the title of the page; empty without one. */
export const itemTitle = signal("");

/** The list that the current item was opened from, as it was last shown. */
let list: { readonly screen: string; readonly address: string } | undefined;
effect(() => {
  const { screen, item } = route.value;
  if (item === undefined) list = { screen, address: location.hash };
  else if (list?.screen !== screen) list = undefined;
});

/** Where the page was before the current address. */
let previous: Route | undefined;

/**
 * Whether input that is not saved yet lets the user go to another address, or out of the panel; if not, it asks, and calls
 * `goOn` once the user agrees.
 */
export type LeaveGuard = (next: Route | undefined, goOn: () => void) => boolean;

let mayLeave: LeaveGuard = () => true;
/** A dialog over the page from no screen of its own, such as the question whether to discard what is not saved. */
export const frameDialog = signal<(() => JSX.Element) | undefined>(undefined);

/** Called by the first screen with a form. */
export function guardLeaving(guard: LeaveGuard): void {
  mayLeave = guard;
}

/** Does something that takes the screen away, unless the user wants to keep what is not saved. */
export function leaveBy(act: () => void): void {
  if (mayLeave(undefined, act)) act();
}

/** The place of an address in the history of the tab, by which a move is undone whatever its direction was. */
interface Place {
  readonly place?: number;
}

let place = placeOf(history.state as Place | null, 0);
/** The address that the page shows. */
let shown = location.hash;
/** Whether the panel itself changes the address, such as after saving. */
let isOwnMove = false;

function placeOf(state: Place | null, next: number): number {
  if (state?.place !== undefined) return state.place;
  history.replaceState({ place: next }, "");
  return next;
}

// The same address opened again, as by a bookmark, takes the entry's place away, and is no hashchange.
addEventListener("popstate", () => {
  if (location.hash === shown) place = placeOf(history.state as Place | null, place);
});

addEventListener("hashchange", () => {
  const moved = placeOf(history.state as Place | null, place + 1) - place;
  const isAsking = !isOwnMove;
  isOwnMove = false;
  // The address is back at the screen that was not left.
  if (moved === 0) return;
  const next = parseHash(location.hash);
  if (isAsking && !mayLeave(next, () => history.go(moved))) return history.go(-moved);
  place += moved;
  shown = location.hash;
  previous = route.value;
  route.value = next;
});

/** Whether the page before this one was the list of this screen, so that Back leads to it. */
export function isFromList(): boolean {
  return previous?.screen === route.value.screen && previous.item === undefined;
}

/** The address of a list, with the filters and the page that it was left with for this item. */
export function listOf(screen: string): string {
  return list?.screen === screen ? list.address : `#/${screen}`;
}

/** The next user has not seen the list of the former one. */
export function forgetList(): void {
  if (route.value.item !== undefined) list = previous = undefined;
}

/** Goes to an address without a question: the user has saved, or has been asked. */
export function go(address: string): void {
  const before = location.hash;
  location.hash = address;
  isOwnMove ||= location.hash !== before;
}

/** As `go`, in place of the current address, which has nothing to show: Back would only lead here again. */
export function replaceBy(address: string): void {
  history.replaceState({ place }, "", address);
  shown = location.hash;
  route.value = parseHash(address);
}

/** Whether the page still shows this screen: its filters may have changed. */
export function isAt({ screen, item, action }: Route): boolean {
  const now = route.value;
  return now.screen === screen && now.item === item && now.action === action;
}

/** As `go`, once a request is answered: a user who has left the screen meanwhile stays where they are. */
export function goFrom(screen: Route, address: string): void {
  if (isAt(screen)) go(address);
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
  replaceBy(addressWith(change));
}

function parseHash(hash: string): Route {
  const [path = "", parameters = ""] = hash.replace(/^#\/?/, "").split("?");
  const [screen = "", item, action] = path.split("/");
  const query = Object.fromEntries(new URLSearchParams(parameters));
  return { screen: screen === "" ? "status" : screen, item, action, query };
}
