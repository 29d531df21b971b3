import type { Condition } from "../domain/condition.ts";
import type { LinkView } from "../site/sync-view.ts";
import { DaemonWords } from "./daemon-words.tsx";
import { fillIn, hasMoreTexts, sayDaemon, sentenceOf, t } from "./i18n.ts";
import { formatTime } from "./date-format.ts";

/** The message of a condition: in the language of the user if there is a translation, else the English text of the daemon. */
export function ConditionText({ condition: { code, text, values } }: { readonly condition: Condition }) {
  if (!hasMoreTexts()) return null;
  const sentence = sentenceOf(code);
  // A capital letter belongs to a word, not to the file that an error of the configuration begins with.
  if (sentence === undefined || values === null)
    return (
      <p class={/^[a-z]+[ ,;]/.test(text) ? "sentence" : ""}>
        <DaemonWords text={text} />
      </p>
    );
  const formatted = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "number" ? value : isMoment(value) ? formatTime(value) : (sayDaemon(value) ?? value),
  ]);
  return <p class="sentence">{fillIn(sentence, Object.fromEntries(formatted))}</p>;
}

/** Why the link is down and what to do about it, then what the technician needs: the words of the system. */
export function LinkReason({ link: { cause, reason } }: { readonly link: LinkView }) {
  if (cause === null || reason === null || !hasMoreTexts()) return null;
  return (
    <div class="stack tight" data-cause={cause}>
      <p>
        <strong>{t(`link.cause.${cause}`)}</strong> {t(`link.remedy.${cause}`)}
      </p>
      <p class="quiet">
        (<DaemonWords text={reason.replace(/^[^:]+: /, "")} />)
      </p>
    </div>
  );
}

function isMoment(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}
