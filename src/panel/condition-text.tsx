import type { Condition } from "../domain/condition.ts";
import type { LinkView } from "../http/site/sync-port.ts";
import { filled, language } from "./i18n.ts";
import { status } from "./live-updates.ts";
import { formatTime } from "./date-format.ts";
import { RO_SENTENCES } from "./messages/ro-sentences.ts";

/** What is wrong and the way out: in Romanian where the daemon says it in a sentence of its own, else as it says it. */
export function ConditionText({ condition: { code, text, values } }: { readonly condition: Condition }) {
  const sentences: Readonly<Partial<Record<Condition["code"], string>>> = RO_SENTENCES;
  const sentence = language.value === "ro" ? sentences[code] : undefined;
  if (sentence === undefined || values === null) return <p lang="en">{text}</p>;
  const said = Object.entries(values).map(([name, value]) => [
    name,
    isMoment(value) ? formatTime(value) : value,
  ]);
  // What the log and the command line say, for whoever looks it up.
  return <p title={text}>{filled(sentence, Object.fromEntries(said))}</p>;
}

/** Why the link is down: the open condition says it in the person's language, and what becomes of the records. */
export function LinkReason({ link }: { readonly link: LinkView }) {
  if (link.reason === null) return null;
  const condition = status.value?.conditions.find(({ code }) => LINK_CONDITIONS.has(code));
  return condition ? <ConditionText condition={condition} /> : <p lang="en">{link.reason}</p>;
}

const LINK_CONDITIONS: ReadonlySet<Condition["code"]> = new Set<Condition["code"]>([
  "upstream-unreachable",
  "upstream-authentication-failed",
  "upstream-unexpected-service",
]);

function isMoment(value: string | number): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}
