import { t } from "../i18n.ts";

/** The changed lines of the file, with `+` and `-` beside the colour. */
export function Difference({ diff, file }: { readonly diff: string; readonly file: string }) {
  return (
    <section class="card">
      <h2>{file.split("/").pop()}</h2>
      {diff === "" ? (
        <p>{t("review.nothing")}</p>
      ) : (
        <pre class="diff" tabIndex={0} aria-label={t("review.difference")}>
          {diff.split("\n").map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </pre>
      )}
    </section>
  );
}

function Line({ line }: { readonly line: string }) {
  const [, number] = /^@@ -\d+ \+(\d+) @@$/.exec(line) ?? [];
  if (number !== undefined) return <span class="place">{t("review.fromLine", { line: number })}</span>;
  return <span class={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : ""}>{line}</span>;
}
