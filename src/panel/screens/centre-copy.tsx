import { useState } from "preact/hooks";
import type { ObjectiveType } from "../../generated/types.ts";
import type { ObjectiveDifferenceView, ObjectivesView } from "../../http/site/objective-port.ts";
import { ask, useAnswer } from "../api.ts";
import { say } from "../language.ts";
import { sayMoment } from "../moments.ts";
import { attempt } from "../notice.tsx";
import { Table, type Column } from "../table.tsx";

/** How old the copy of the centre's list is, and what the centre and this site do not say alike. */
export function CentreCopy({ type }: { readonly type: ObjectiveType }) {
  const [version, setVersion] = useState(0);
  const [isReading, setIsReading] = useState(false);
  const { answer } = useAnswer<ObjectivesView>("/site/objectives", version);
  const list = answer?.body.lists.find((one) => one.type === type);
  if (!answer || answer.body.centre === null || !list) return null;
  const readNow = async (): Promise<void> => {
    setIsReading(true);
    await attempt(async () => void (await ask("/site/objectives/pull", { method: "POST" })));
    setIsReading(false);
    setVersion((last) => last + 1);
  };
  const differences = answer.body.differences.filter((one) => one.type === type);
  return (
    <section class="below">
      <h2>{say("copy.title")}</h2>
      <p>
        {list.readAt === null
          ? say("copy.never")
          : say("copy.read", { n: list.objectives ?? 0, time: sayMoment(list.readAt) })}
      </p>
      {list.reason !== null && (
        <p class="warn box" lang="en">
          {list.reason}
        </p>
      )}
      <p>
        <button type="button" disabled={isReading} onClick={() => void readNow()}>
          {say("copy.readNow")}
        </button>
      </p>
      {differences.length > 0 && (
        <>
          <h2>{say("copy.differences", { n: differences.length })}</h2>
          <Table
            caption={say("copy.differences", { n: differences.length })}
            columns={columns()}
            rows={differences}
            keyOf={({ id }) => id}
          />
        </>
      )}
    </section>
  );
}

function columns(): Column<ObjectiveDifferenceView>[] {
  return [
    { key: "id", title: "#", cell: ({ id }) => id },
    { key: "here", title: say("copy.here"), cell: ({ here }) => here },
    { key: "there", title: say("copy.there"), cell: ({ there }) => there ?? say("copy.notListed") },
    { key: "missing", title: say("copy.missing"), cell: ({ missingSince }) => sayMoment(missingSince) },
  ];
}
