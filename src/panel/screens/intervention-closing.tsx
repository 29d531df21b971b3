import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Intervention, Status } from "../../generated/types.ts";
import type { HistoryView } from "../../site/timeline-view.ts";
import type { ZoneView } from "../../site/zone-view.ts";
import { request } from "../api.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { runWithErrorNotice, showNotice } from "../notice.tsx";

interface Question {
  readonly id: number;
  /** The zones that are open. */
  readonly zones: readonly OpenZone[];
  readonly change: () => Promise<unknown>;
}

/** Changes the status of an intervention; to done only once the user agrees, if one of its zones is open. */
export type ChangeTo = (id: number, status: Status, change: () => Promise<unknown>) => Promise<void>;

interface OpenZone {
  readonly name: string;
  /** Whether another intervention may follow while it stays open. */
  readonly isFollowed: boolean;
}

interface Closing {
  readonly changeTo: ChangeTo;
  /** The question, while it is asked. */
  readonly question: ComponentChildren;
}

/**
 * Gives an intervention another status, which can be taken back, whatever else has changed since it was shown: its notes do with each further trip,
 * also while the question is asked.
 * @throws ApiError
 */
export async function setStatus(id: number, status: Status): Promise<void> {
  const path = apiPath(`/interventii/${id}`);
  const { body: record, headers } = await request<Intervention>(path);
  await request(path, {
    method: "PUT",
    headers: { "If-Match": headers.get("ETag") ?? "*" },
    body: { status },
  });
  const undo = async (): Promise<void> => void (await runWithErrorNotice(() => setStatus(id, record.status)));
  const isChanged = record.status !== status;
  showNotice(`#${id} ${record.name}: ${t(`status.${status}`)}`, false, isChanged ? undo : undefined);
}

/** Asks before an intervention is closed while the contact of one of its zones is still open. */
export function useClosing(): Closing {
  // One question at a time; of a list, several interventions may be closed at once.
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  const [isChanging, setIsChanging] = useState(false);
  // A second press before the responses would change the status twice.
  const closing = useRef(new Set<number>());
  const close = async (id: number, change: () => Promise<unknown>): Promise<void> => {
    let zones: readonly OpenZone[] = [];
    const isRead = await runWithErrorNotice(async () => {
      zones = await openZonesOf(id);
    });
    if (!isRead) return;
    if (zones.length === 0) await change();
    else setQuestions((others) => [...others, { id, zones, change }]);
  };
  const changeTo: ChangeTo = async (id, status, change) => {
    if (status !== "done") {
      await change();
      return;
    }
    if (closing.current.has(id)) return;
    closing.current.add(id);
    try {
      await close(id, change);
    } finally {
      closing.current.delete(id);
    }
  };
  const [asked] = questions;
  // The next question waits: a double press would answer it unread.
  const act = async (change: Question["change"]): Promise<void> => {
    setIsChanging(true);
    try {
      await change();
    } finally {
      setIsChanging(false);
    }
  };
  const followed = asked?.zones.filter(({ isFollowed }) => isFollowed) ?? [];
  const question = asked && !isChanging && (
    <ConfirmDialog
      key={asked.id}
      title={t("interventions.closeTitle", { id: asked.id })}
      action={t("interventions.closeDo")}
      act={() => act(asked.change)}
      close={() => setQuestions((all) => all.slice(1))}
    >
      <p>{t("interventions.stillOpen", { n: asked.zones.length, zones: namesOf(asked.zones) })}</p>
      {followed.length > 0 && <p>{t("interventions.followed", { zones: namesOf(followed) })}</p>}
    </ConfirmDialog>
  );
  return { changeTo, question };
}

function namesOf(zones: readonly OpenZone[]): string {
  return zones.map(({ name }) => name).join(", ");
}

/** The zones whose openings are in an intervention and that are open now. @throws ApiError */
async function openZonesOf(id: number): Promise<readonly OpenZone[]> {
  const { body: history } = await request<HistoryView>(`/site/interventions/${id}/history`);
  if (history.zones.length === 0) return [];
  const { body: zones } = await request<ZoneView[]>("/site/zones");
  return zones
    .filter((zone) => zone.contact === "open" && history.zones.includes(zone.id))
    .map((zone) => ({ name: zone.name, isFollowed: isFollowed(zone, history) }));
}

/** Only an armed zone. One that was listed or has tripped as open before is not listed again; life safety trips again. */
function isFollowed({ id, disposition, isLifeSafety }: ZoneView, { entries }: HistoryView): boolean {
  const opening = entries.find(
    ({ who, event }) => who === `zone ${id}` && (event === "trip" || event === "standing"),
  );
  return disposition === "waiting" && (isLifeSafety || opening?.detail["cause"] !== "standing");
}
