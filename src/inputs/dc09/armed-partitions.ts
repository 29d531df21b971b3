import { canonical } from "../../domain/zone-changes.ts";
import type { Zone } from "../../domain/zone.ts";
import { ActiveTopics, PARTITIONS } from "../active-topics.ts";
import type { ZoneContext } from "../zone-context.ts";
import type { AlarmPanelEvent } from "./alarm-panel-code.ts";

/** What was armed by a report that names no partition. */
const WHOLE = "0";

/**
 * Of each gate of a whole alarm panel, the partitions that have reported and those that are armed: the opening of one must not
 * suppress the alarms of another that is armed. They are stored with the report that changes them, as the topics of a gate are.
 */
export class ArmedPartitions {
  readonly #active: ActiveTopics;

  constructor({ journal, log }: Pick<ZoneContext, "journal" | "log">) {
    this.#active = new ActiveTopics({ journal, log }, PARTITIONS);
  }

  /** Uses other zones from now on: a gate that is new has no partitions. */
  exchange(zones: readonly Zone[]): void {
    const gates = zones.flatMap(({ gate }) => (gate.by === "dc09" ? [gate.id] : []));
    this.#active.keep(new Set(gates.flatMap((id) => [knownOf(id), armedOf(id)])));
  }

  /** Notes an opening or closing, in the caller's transaction. @returns whether any partition is armed now */
  note(gateId: string, { partition }: AlarmPanelEvent, isArmed: boolean): boolean {
    const [known, armed] = [knownOf(gateId), armedOf(gateId)];
    const isWhole = (partition ?? 0) === 0;
    if (!isWhole) this.#active.note(known, String(partition), true);
    for (const name of isWhole ? this.#active.of(known) : [String(partition)])
      this.#active.note(armed, name, isArmed);
    // The partitions of such a report are those that are known: an opening of the last of them is one of the whole.
    return this.#active.note(armed, WHOLE, isWhole && isArmed);
  }
}

function knownOf(gateId: string): string {
  return canonical([PARTITIONS, gateId, "known"]);
}

function armedOf(gateId: string): string {
  return canonical([PARTITIONS, gateId, "armed"]);
}
