import type { FoundChipView } from "../../site/discovery-view.ts";
import { t } from "../i18n.ts";
import { draft } from "../zone-draft.ts";

/** The free lines of the GPIO chip in use, and who uses the others. */
export function FoundLines({ chips }: { readonly chips: readonly FoundChipView[] }) {
  const chip = chips.find(({ isUsed }) => isUsed) ?? chips[0];
  if (!chip) return null;
  const free = chip.lines.filter(({ holder, zoneId }) => holder === null && zoneId === null);
  const taken = chip.lines.filter(({ holder, zoneId }) => holder !== null || zoneId !== null);
  return (
    <section class="stack tight" aria-label={t("found.lines")}>
      <h2>{t("found.lines")}</h2>
      <div class="chips">
        {free.map(({ line, name }) => (
          <a key={line} class="button chip" href="#/zones/form" title={name} onClick={() => takeLine(line)}>
            {`GPIO ${line}`}
          </a>
        ))}
      </div>
      {taken.length > 0 && (
        <small>
          {t("found.linesTaken", {
            lines: taken.map(({ line, holder, zoneId }) => `${line} (${zoneId ?? holder ?? ""})`).join(", "),
          })}
        </small>
      )}
    </section>
  );
}

function takeLine(line: number): void {
  draft.value = {
    zone: { id: "", name: "", kind: "intrusion", input: { gpio: line, contact: "nc" } },
  };
}
