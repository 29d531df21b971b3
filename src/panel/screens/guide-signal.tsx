import { useState } from "preact/hooks";
import type { SignalTestView } from "../../site/zone-view.ts";
import { useQuery } from "../api.ts";
import { t } from "../i18n.ts";
import { status } from "../live-updates.ts";
import { Step, type OwnState } from "./guide-step.tsx";
import { SignalTrial } from "./signal-test.tsx";

/** What is read of a trip. */
interface AnyTrip {
  readonly key: string;
  readonly type: string;
}

interface LastSignal {
  /** Its number at the dispatch centre; null if it has none, and undefined until it is read. */
  readonly upstreamId: number | null | undefined;
  readonly noteArrival: (upstreamId: number) => void;
}

/** Among so many of the newest trips the last signal test is sought: an older one proves little. */
const TRIPS_READ = 200;

/** The newest signal test, or one that has arrived since the screen was opened. */
export function useLastSignal(): LastSignal {
  const [arrived, setArrived] = useState<number | undefined>(undefined);
  const hasCentre = (status.value?.link.state ?? "none") !== "none";
  const trips = useQuery<AnyTrip[]>(hasCentre ? `/site/trips?limit=${TRIPS_READ}` : undefined).response?.body;
  const key = trips?.find(({ type }) => type === "signal")?.key;
  const test = useQuery<SignalTestView>(key === undefined ? undefined : `/site/signal-test/${key}`);
  const last = trips && key === undefined ? null : test.response?.body.upstreamId;
  return { upstreamId: arrived ?? last, noteArrival: setArrived };
}

/** One marked signal, as far as its number at the centre. */
export function SignalStep({
  state,
  signal: { upstreamId, noteArrival },
}: OwnState & { readonly signal: LastSignal }) {
  const result = typeof upstreamId === "number" ? t("journey.number", { id: upstreamId }) : "";
  return (
    <Step title={t("signal.title")} state={state} result={result}>
      <SignalTrial arrived={noteArrival} />
    </Step>
  );
}
