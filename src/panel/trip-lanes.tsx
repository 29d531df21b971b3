import { useState } from "preact/hooks";
import type { TripAnswer, ZoneAnswer } from "./answers.ts";
import { useAnswer } from "./api.ts";
import { nowMs } from "./clock.ts";
import { say } from "./language.ts";
import { journalVersion } from "./live.ts";
import { sayMoment } from "./moments.ts";

const HOUR_MS = 3_600_000;
const SPANS = { day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;
type Span = keyof typeof SPANS;

/** The drawing's own units: one lane is so wide and high, whatever the screen makes of it. */
const WIDTH = 336;
const HEIGHT = 16;
const MARK = 2;

/** When each zone has tripped, one lane a zone: what trips every night at three is seen at once. */
export function TripLanes({ zones }: { readonly zones: readonly ZoneAnswer[] }) {
  const [span, setSpan] = useState<Span>("day");
  const { answer } = useAnswer<readonly TripAnswer[]>("/site/trips?limit=1000", journalVersion.value);
  const end = nowMs();
  const begin = end - SPANS[span];
  const seen = (answer?.body ?? []).filter(({ moment }) => moment.wallMs >= begin && moment.wallMs <= end);
  const lanes = zones
    .map((zone) => ({ zone, trips: seen.filter(({ zoneId }) => zoneId === zone.id) }))
    .filter(({ trips }) => trips.length > 0);
  return (
    <section class="lanes">
      <div class="row">
        <h2>{say("lanes.title")}</h2>
        <div role="group" aria-label={say("lanes.span")}>
          {(Object.keys(SPANS) as Span[]).map((one) => (
            <button
              type="button"
              class="plain"
              key={one}
              aria-pressed={span === one}
              onClick={() => setSpan(one)}
            >
              {say(`lanes.${one}`)}
            </button>
          ))}
        </div>
      </div>
      {lanes.length === 0 && <p class="quiet">{say("lanes.none")}</p>}
      {lanes.map(({ zone, trips }) => (
        <Lane key={zone.id} zone={zone} trips={trips} begin={begin} end={end} />
      ))}
    </section>
  );
}

function Lane({
  zone,
  trips,
  begin,
  end,
}: {
  readonly zone: ZoneAnswer;
  readonly trips: readonly TripAnswer[];
  readonly begin: number;
  readonly end: number;
}) {
  const newest = Math.max(...trips.map(({ moment }) => moment.wallMs));
  const text = say("lanes.lane", {
    zone: zone.name,
    n: trips.length,
    time: sayMoment(new Date(newest).toISOString()),
  });
  const place = (ms: number): number => ((ms - begin) / (end - begin)) * (WIDTH - MARK);
  return (
    <div class="lane">
      <span aria-hidden="true">{zone.name}</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
        <title>{text}</title>
        <rect class="lane-ground" x={0} y={0} width={WIDTH} height={HEIGHT} />
        {trips.map(({ key, moment }) => (
          <rect class="lane-trip" key={key} x={place(moment.wallMs)} y={0} width={MARK} height={HEIGHT} />
        ))}
      </svg>
    </div>
  );
}
