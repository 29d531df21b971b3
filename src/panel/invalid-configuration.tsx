import { DaemonText } from "./daemon-text.tsx";
import { t } from "./i18n.ts";

/** Between the errors of a file, and before what the daemon uses instead. */
const BETWEEN_ERRORS = /; (?=\S+:\d+:\d+: |the daemon )/;
const ERROR_IN_FILE = /^(\S+:\d+:\d+): (.*)$/s;

/** Each error of the file on a line with its place in it, then the remedy. */
export function InvalidConfiguration({ text }: { readonly text: string }) {
  const parts = text.split(BETWEEN_ERRORS);
  const errors = parts.flatMap((part) => {
    const [, place = "", message] = ERROR_IN_FILE.exec(part) ?? [];
    return message === undefined ? [] : [{ place, message }];
  });
  const rest = parts.filter((part) => !ERROR_IN_FILE.test(part));
  return (
    <>
      {errors.length > 0 && (
        <ul class="stack tight">
          {errors.map(({ place, message }) => (
            <li key={`${place} ${message}`}>
              {/* Without its folders it fits on a phone. */}
              <code title={place}>{place.replace(/^.*\//, "")}</code> <DaemonText text={message} />
            </li>
          ))}
        </ul>
      )}
      {rest.map((part) => (
        <p key={part} class="sentence">
          <DaemonText text={part} />
        </p>
      ))}
      {errors.length > 0 && <p>{t("configuration.correct")}</p>}
    </>
  );
}
