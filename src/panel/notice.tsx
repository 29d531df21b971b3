import { signal } from "@preact/signals";
import { later } from "./clock.ts";
import { t } from "./i18n.ts";
import { ApiError } from "./http.ts";

interface Notice {
  readonly text: string;
  readonly isTrouble: boolean;
}

const notice = signal<Notice | undefined>(undefined);
const SHOWN_MS = 8_000;
let forget = (): void => {};

/** Tells the person what has become of what they did; a screen reader reads it out. */
export function showNotice(text: string, isTrouble = false): void {
  forget();
  notice.value = { text, isTrouble };
  forget = later(SHOWN_MS, () => {
    notice.value = undefined;
  });
}

/** Does what a person has asked for, and tells them when the daemon refuses. @returns whether it was done */
export async function runWithErrorNotice(action: () => Promise<void>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    showNotice(sentenceOf(error), true);
    return false;
  }
}

/** The daemon's own sentence, or that it gave none. */
export function sentenceOf({ status, message }: ApiError): string {
  return status === 0 ? t("app.noAnswer") : message;
}

export function NoticeLine() {
  return (
    <div class="notice" role="status" aria-live="polite">
      {notice.value && <p class={notice.value.isTrouble ? "bad" : "good"}>{notice.value.text}</p>}
    </div>
  );
}

/** Instead of a page's content while there is none. */
export function Pending({
  refusal,
  askAgain,
}: {
  readonly refusal: ApiError | undefined;
  readonly askAgain: () => void;
}) {
  if (!refusal) return <p class="quiet">{t("app.loading")}</p>;
  return (
    <div role="alert" class="bad box">
      <p>{sentenceOf(refusal)}</p>
      <button type="button" onClick={askAgain}>
        {t("app.retry")}
      </button>
    </div>
  );
}
