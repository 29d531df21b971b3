import type { FoundChipView } from "../../site/discovery-view.ts";
import { t } from "../i18n.ts";
import { configuredZones, draft, zonesOf } from "../zone-draft.ts";

/** The free lines of the GPIO chips in use, and who uses the others. */
export function FoundLines({ chips }: { readonly chips: readonly FoundChipView[] }) {
  const used = chips.filter(({ isUsed }) => isUsed);
  return (
    <>
      {(used.length > 0 ? used : chips.slice(0, 1)).map((chip) => (
        <LinesOf key={chip.path} chip={chip} />
      ))}
    </>
  );
}

function LinesOf({ chip: { name: chip, lines } }: { readonly chip: FoundChipView }) {
  const free = lines.filter(({ holder, zoneId }) => holder === null && zoneId === null);
  const taken = lines.filter(({ holder, zoneId }) => holder !== null || zoneId !== null);
  const title = chip === null ? t("found.lines") : t("found.linesOf", { chip });
  return (
    <section class="stack tight" aria-label={title}>
      <h2>{title}</h2>
      <div class="chips">
        {free.map(({ line, name }) => (
          <a
            key={line}
            class="button chip"
            href="#/zones/form"
            title={name}
            onClick={() => takeLine(line, chip)}
          >
            {`GPIO ${line}`}
          </a>
        ))}
      </div>
      {taken.length > 0 && (
        <small>
          {t("found.linesTaken", {
            lines: taken
              .map(({ line, holder, zoneId }) => `${line} (${zoneId === null ? holder : nameOfZone(zoneId)})`)
              .join(", "),
          })}
        </small>
      )}
    </section>
  );
}

/** As the file has it: a disabled zone keeps its line too. */
function nameOfZone(zoneId: string): string {
  const zones = configuredZones.value ? zonesOf(configuredZones.value) : [];
  return zones.find(({ id }) => id === zoneId)?.name ?? zoneId;
}

function takeLine(gpio: number, chip: string | null): void {
  const input = { gpio, ...(chip === null ? {} : { chip }), contact: "nc" };
  draft.value = { zone: { id: "", name: "", kind: "intrusion", input } };
}
