import { useLayoutEffect, useState } from "preact/hooks";
import type { ConfiguredZonesView, ConfigurationErrorView } from "../../site/configuration-view.ts";
import { Act } from "../act.tsx";
import { ConfigurationErrors } from "../configuration-errors.tsx";
import { errorsOfZone, type OptionErrors } from "../option-errors.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { Form } from "../field.tsx";
import { ApiError, FORM_ERROR_CODE } from "../http.ts";
import { t, translateCode } from "../i18n.ts";
import { ChoiceOption, TextOption } from "../option-field.tsx";
import { go, isAt, replaceBy, route } from "../route.ts";
import {
  configuredZones,
  draft,
  idFrom,
  inputOf,
  pendingChange,
  propose,
  proposeOptions,
  savedChanges,
  setOptions,
  type WantedChanges,
  type ZoneChange,
  type ZoneDraft,
  type ZoneText,
  zonesOf,
} from "../zone-draft.ts";
import { changesOf } from "../zone-change.ts";
import { swapOf } from "../input-swap.ts";
import { SensorTrial } from "./sensor-trial.tsx";
import { StepHead } from "./step-head.tsx";
import { ZoneInputOptions } from "./zone-input-options.tsx";
import { ZoneObjectiveOption } from "./zone-objective-option.tsx";
import { AdvancedOptions } from "./zone-options.tsx";

const KINDS = [
  "intrusion",
  "perimeter",
  "motion",
  "glass",
  "fire",
  "panic",
  "holdup",
  "medical",
  "flood",
  "gas",
  "tamper",
  "technical",
  "power",
] as const;

/** Step 2: name, kind, objective and test of a new zone, or the options of a configured one. */
export function ZoneForm() {
  const site = configuredZones.value;
  const id = route.value.query["zone"];
  useLayoutEffect(() => {
    const zone = site && zonesOf(site).find((one) => one.id === id);
    if (id !== undefined && draft.value?.changes !== id)
      draft.value = zone && { zone, changes: id, original: zone };
    // The form of a configured zone was left for another one.
    else if (id === undefined && draft.value?.changes !== undefined) draft.value = undefined;
    if (draft.value && !draft.value.start)
      draft.value = { ...draft.value, start: draft.value.zone, sent: [] };
    if (!draft.value) replaceBy(id === undefined ? "#/zones/found" : "#/zones/edit");
  }, [id]);
  const described = draft.value;
  if (!site || !described || described.changes !== id) return <p class="quiet">{t("app.loading")}</p>;
  return <Described described={described} site={site} />;
}

function Described({
  described,
  site,
}: {
  readonly described: ZoneDraft;
  readonly site: ConfiguredZonesView;
}) {
  const { zone, changes } = described;
  const [errors, setErrors] = useState<readonly ConfigurationErrorView[]>([]);
  const [zoneAt, setZoneAt] = useState(-1);
  const [problem, run] = useErrorMessage();
  const back = changes === undefined ? "#/zones/found" : "#/zones/edit";
  const review = (): Promise<void> =>
    run(async () => {
      const here = route.value;
      const wanted: WantedChanges = (zones) => changesOf(described, zones);
      const { changes: proposed, proposal } = await propose(wanted);
      if (!isAt(here)) return;
      if (proposed.length === 0) return goToSaved(zone.id ?? "");
      if (changes === undefined) keepSavedId(zone, proposed);
      setErrors(proposal.errors);
      setZoneAt(proposal.zones.findIndex((one) => one["id"] === zone.id));
      if (proposal.errors.length > 0) return;
      const query = changes === undefined ? "" : `?zone=${changes}`;
      pendingChange.value = {
        changes: proposed,
        proposal,
        wanted,
        forget: () => void (draft.value === described && discard()),
        noteUnanswered: () => void described.sent?.push(zone),
        of: described,
        zoneIds: [zone.id ?? ""],
        back: `#/zones/form${query}`,
      };
      go("#/zones/review");
    });
  const own = errorsOfZone(errors, zoneAt, zone.id);
  return (
    <>
      <StepHead
        title={zone.name || t("zoneForm.newZone")}
        back={back}
        {...(changes === undefined ? { step: 2 } : {})}
      />
      <div class="split form">
        <div class="stack">
          <Doubts described={described} />
          <Trial described={described} />
        </div>
        <div class="card">
          <Form onSubmit={review}>
            <Basics described={described} errors={own} site={site} />
            <ZoneInputOptions described={described} errors={own} />
            <AdvancedOptions described={described} errors={own} />
            <ConfigurationErrors errors={errors} />
            <ErrorMessage text={problem} />
            <div class="row always-in-view">
              <Act type="submit" class="main">
                {t("zoneForm.review")}
              </Act>
              <a class="button plain" href={back} onClick={discard}>
                {t("app.cancel")}
              </a>
            </div>
          </Form>
        </div>
      </div>
    </>
  );
}

/** Shows what the sensor reads, where it can be read before its zone exists. */
function Trial({ described: { zone, changes } }: { readonly described: ZoneDraft }) {
  const input = inputOf(zone);
  if ("simulated" in input || "dc09" in input || "supply" in input) return null;
  return (
    <SensorTrial
      input={input}
      zoneId={changes}
      kind={zone.kind ?? ""}
      endsItself={Number(zone["autoRestoreS"] ?? 0) > 0}
      onSwap={swapOf(input)}
    />
  );
}

function discard(): void {
  draft.value = undefined;
}

/** A new zone that was saved without a response keeps its id. @throws ApiError if another one was entered since */
function keepSavedId({ id }: ZoneText, [change]: readonly ZoneChange[]): void {
  if (change?.action !== "change" || change.id === id) return;
  setOptions({ id: change.id });
  throw new ApiError(0, t("zoneForm.savedAs", { id: change.id }), { code: FORM_ERROR_CODE });
}

/** The zone was saved, but its response was lost. */
function goToSaved(id: string): void {
  discard();
  savedChanges.value += 1;
  replaceBy(`#/zones/saved?ids=${encodeURIComponent(id)}`);
}

function Basics({
  described: { zone, changes, hasOwnId, sent },
  errors,
  site,
}: {
  readonly described: ZoneDraft;
  readonly errors: OptionErrors;
  readonly site: ConfiguredZonesView;
}) {
  const used = zonesOf(site).map(({ id }) => id);
  const named = (name: string): ZoneText => {
    const isFollowing = changes === undefined && hasOwnId !== true && !sent?.length;
    return { name, ...(isFollowing ? { id: idFrom(name, used) } : {}) };
  };
  useLayoutEffect(() => {
    // A zone from a list may have a name and no id yet.
    if (changes === undefined && (zone.id === "" || zone.id === undefined))
      proposeOptions(named(zone.name ?? ""));
  }, []);
  return (
    <>
      <TextOption
        option="name"
        label={t("zoneForm.name")}
        help={t("zoneForm.nameHelp")}
        value={zone.name}
        errors={errors}
        isRequired
        onText={(name) => setOptions(named(name))}
      />
      <ChoiceOption
        option="kind"
        label={t("zones.kind")}
        help={t("zoneForm.kindHelp")}
        value={zone.kind ?? ""}
        errors={errors}
        choices={KINDS.map((kind) => [kind, translateCode("choice.zone-kind", kind)])}
        onChoice={(kind) => setOptions({ kind })}
      />
      <ZoneObjectiveOption zone={zone} errors={errors} />
    </>
  );
}

/** What the daemon is not sure about. */
function Doubts({ described: { doubts = [] } }: { readonly described: ZoneDraft }) {
  if (doubts.length === 0) return null;
  return (
    <section class="box s-attention" aria-label={t("zoneForm.doubts")}>
      <h2>{t("zoneForm.doubts")}</h2>
      <ul class="conditions">
        {doubts.map(({ code, values, text }) => (
          <li key={code}>{translateCode("doubt", code, text, values)}</li>
        ))}
      </ul>
    </section>
  );
}
