import { computed, signal } from "@preact/signals";
import { later } from "./clock.ts";
import { staleText } from "./date-format.ts";
import { language, translateDaemonText, t, translateCode } from "./i18n.ts";
import { ApiError, FORM_ERROR_CODE, SIGNED_OUT_CODE } from "./http.ts";
import { Icon } from "./icon.tsx";
import { isStale, liveness } from "./live-updates.ts";
import type { MessageKey } from "./messages/catalogue.ts";
import { route } from "./route.ts";
import { sessionState } from "./session.ts";

interface Notice {
  readonly text: string;
  readonly isError: boolean;
  /** Takes back what was done. */
  readonly undo?: () => Promise<void>;
}

const notice = signal<Notice | undefined>(undefined);
const SHOWN_MS = 6_000;
let cancelHiding = (): void => {};

/**
 * Shows the result of an action for 6 s, an error until it is closed, the next attempt or another screen; screen readers
 * announce it.
 * @param undo takes it back
 */
export function showNotice(text: string, isError = false, undo?: () => Promise<void>): void {
  notice.value = { text, isError, ...(undo ? { undo } : {}) };
  if (isError) cancelHiding();
  else hideLater();
}

function hideLater(): void {
  cancelHiding();
  cancelHiding = later(SHOWN_MS, hide);
}

function hide(): void {
  notice.value = undefined;
}

function hideError(): void {
  if (notice.value?.isError === true) hide();
}

// The next user has nothing to do with it.
sessionState.subscribe((state) => state === "out" && hide());
// An error belongs to its screen; a result, such as "Saved", is often read on the next one.
computed(() => [route.value.screen, route.value.item, route.value.action].join("/")).subscribe(hideError);

/** Runs an action and shows the error of a rejected request. @returns whether it succeeded */
export async function runWithErrorNotice(action: () => Promise<void>): Promise<boolean> {
  hideError();
  try {
    await action();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    showError(error);
    return false;
  }
}

/** Shows why a request was rejected; not to the next user. */
export function showError(error: ApiError): void {
  if (error.code !== SIGNED_OUT_CODE) showNotice(errorText(error), true);
}

/**
 * Why a request was rejected: in English the message of the daemon, in other languages its translation, else the text of its
 * code, with the message in brackets where the code alone does not say what is wrong. A text of its own for no response, with the
 * time since when there is none if that is known, and for a response without a code: that is one of a proxy.
 */
export function errorText({ status, code, message }: ApiError): string {
  if (code === FORM_ERROR_CODE) return message;
  if (code === undefined)
    return status === 0 && isStale.value ? staleText() : t(PROXY_TEXTS[status] ?? "app.noResponse");
  if (language.value === "en")
    return code === "internal" || message === "" ? translateCode("refusal", code) : message;
  const said = translateDaemonText(message);
  // An address stays as it is.
  if (said !== undefined)
    return `${/^https?:/.test(said) ? said : said.charAt(0).toUpperCase() + said.slice(1)}.`;
  const text = translateCode("refusal", code, "");
  if (text === "") return message;
  return NEEDS_DETAIL.has(code) ? `${text} (${message})` : text;
}

/** What a proxy answers instead of the daemon, by its status. */
const PROXY_TEXTS: Readonly<Record<number, MessageKey>> = {
  403: "refusal.forbidden",
  413: "refusal.too-large",
};

const NEEDS_DETAIL: ReadonlySet<string> = new Set([
  "invalid",
  "bad-data",
  "conflict",
  "configuration",
  "key-reused",
  "not-found",
  "unavailable",
]);

/** Identifiers of the open dialogs, the uppermost last. */
export const openDialogs = signal<readonly string[]>([]);

/**
 * Where the result of an action appears. A dialog covers the rest of the page and silences it for screen readers, so the
 * uppermost dialog shows the notice, with its own line.
 * @param dialog identifier of the dialog that the line belongs to
 */
export function NoticeLine({ dialog }: { readonly dialog?: string }) {
  const isHere = openDialogs.value[openDialogs.value.length - 1] === dialog;
  return (
    <div class="notice" role="status" aria-live="polite">
      {isHere && notice.value && (
        <p class={notice.value.isError ? "bad" : ""}>
          <span>{notice.value.text}</span>
          {notice.value.undo && <Undo undo={notice.value.undo} />}
          {notice.value.isError && (
            <button type="button" aria-label={t("app.close")} onClick={hide}>
              <Icon name="x" />
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** Stays while it has the focus: a keyboard user needs longer to reach it. */
function Undo({ undo }: { readonly undo: () => Promise<void> }) {
  const press = (): void => {
    hide();
    void undo();
  };
  return (
    <button type="button" onFocus={() => cancelHiding()} onBlur={hideLater} onClick={press}>
      {t("app.undo")}
    </button>
  );
}

/** Placeholder while a query is pending or has failed. Without a connection the bar of the page has the reason and the button. */
export function Pending({
  error,
  reload,
}: {
  readonly error: ApiError | undefined;
  readonly reload: () => void;
}) {
  if (isStale.value && liveness.value === "lost" && !error?.status)
    return <p class="quiet">{t("app.whenBack")}</p>;
  if (!error) return <p class="quiet">{t("app.loading")}</p>;
  return (
    <div role="alert" class="box s-fault">
      <p>{errorText(error)}</p>
      <button type="button" onClick={reload}>
        {t("app.retry")}
      </button>
    </div>
  );
}
