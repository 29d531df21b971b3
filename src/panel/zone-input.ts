import type { Route } from "./route.ts";
import { account } from "./session.ts";
import { guardUnsavedInput } from "./unsaved.tsx";
import { draft, pendingChange, savingChange, siteDraft, withoutEmpty, type ZoneText } from "./zone-draft.ts";
import { listEdits, NO_EDITS } from "./zone-list-edits.ts";

/* What was entered of zones and site lives on while its change is reviewed, and is lost elsewhere. */

guardUnsavedInput({
  isChanged: () => {
    const { zone, start, unread = {} } = draft.value ?? {};
    if (zone === undefined || start === undefined || isSaving(draft.value)) return false;
    return Object.keys(unread).length > 0 || !isSame(zone, start);
  },
  isAt: ({ screen, item, query }) =>
    screen === "zones" &&
    (item === "form" ? query["zone"] === draft.value?.changes : isReview(item, draft.value)),
  discard: () => {
    draft.value = undefined;
  },
});

guardUnsavedInput({
  isChanged: () => listEdits.value !== NO_EDITS && !isSaving(listEdits.value),
  isAt: ({ screen, item }) => screen === "zones" && item !== undefined,
  discard: () => {
    listEdits.value = NO_EDITS;
  },
});

guardUnsavedInput({
  isChanged: () => siteDraft.value !== undefined && !isSaving(siteDraft.value),
  isAt: ({ screen, item }: Route) =>
    screen === "zones"
      ? isReview(item, siteDraft.value)
      : siteDraft.value?.back.split("?")[0] === `#/${screen}`,
  discard: () => {
    siteDraft.value = undefined;
  },
});

let owner = account.value?.email;
// The next user neither sees nor sends what this one has prepared. At the next sign-in once more: a response may have come in between.
account.subscribe((next) => {
  if (next?.email === owner) return;
  owner = next?.email;
  draft.value = undefined;
  listEdits.value = NO_EDITS;
  siteDraft.value = undefined;
  pendingChange.value = undefined;
});

/** Whether the daemon verifies it now; the result is reported on any screen, and it stays if that is a failure. */
function isSaving(input: unknown): boolean {
  return savingChange.value?.of === input;
}

function isReview(item: string | undefined, input: unknown): boolean {
  return item === "review" && pendingChange.value?.of === input;
}

/** Whether two zones have the same options in any order, besides the id, which follows the name. */
function isSame(one: ZoneText, other: ZoneText): boolean {
  return text(one) === text(other);
}

function text({ id: _id, ...options }: ZoneText): string {
  return JSON.stringify(Object.entries(withoutEmpty(options)).sort(([a], [b]) => (a < b ? -1 : 1)));
}
