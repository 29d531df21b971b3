import type { Condition } from "../domain/condition.ts";
import type { LinkView } from "../site/sync-view.ts";
import { DaemonText } from "./daemon-text.tsx";
import { fillIn, hasMoreTexts, translateDaemonText, conditionMessage, t } from "./i18n.ts";
import { InvalidConfiguration } from "./invalid-configuration.tsx";
import { status } from "./live-updates.ts";
import { LINK_CONDITIONS } from "./link-conditions.ts";
import { withLocalTimes } from "./local-times.ts";

/** The message of a condition: in the language of the user if there is a translation, else the English text of the daemon. */
export function ConditionText({ condition: { code, text, values } }: { readonly condition: Condition }) {
  if (!hasMoreTexts()) return null;
  if (code === "configuration-invalid") return <InvalidConfiguration text={text} />;
  const sentence = conditionMessage(code);
  // A capital letter belongs to a word, not to the file that an error of the configuration begins with.
  if (sentence === undefined || values === null)
    return (
      <p class={/^[a-z]+[ ,;]/.test(text) ? "sentence" : ""}>
        <DaemonText text={text} />
      </p>
    );
  const formatted = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "number" ? value : withLocalTimes(translateDaemonText(value) ?? value),
  ]);
  return <p class="sentence">{fillIn(sentence, Object.fromEntries(formatted))}</p>;
}

/** Why the link is down and what to do about it; the words of the system are in brackets, for the technician. */
export function LinkCause({ link: { cause, reason } }: { readonly link: LinkView }) {
  // Another release of the daemon may have no cause.
  if (!cause || reason === null || !hasMoreTexts()) return null;
  return (
    <p data-cause={cause}>
      <strong>{t(`link.cause.${cause}`)}</strong> {t(`link.remedy.${cause}`)}{" "}
      <span class="quiet">
        (<DaemonText text={reason.replace(/^[^:]+: /, "")} />)
      </span>
    </p>
  );
}

/** The cause, with the text of the condition of the link if it is open. */
export function LinkReason({ link }: { readonly link: LinkView }) {
  const condition = status.value?.conditions.find(({ code }) => LINK_CONDITIONS.has(code));
  return (
    <>
      <LinkCause link={link} />
      {link.reason !== null && condition && <ConditionText condition={condition} />}
    </>
  );
}
