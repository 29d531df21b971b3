import type { Intervention, Objective, RecordSite, SiteView } from "../../generated/types.ts";
import { useQuery } from "../api.ts";
import { apiPath } from "../http.ts";
import { t, translateCode } from "../i18n.ts";
import { ObjectiveDetails, objectiveAddress, objectiveDetails } from "../objective-details.tsx";

/** An objective in words; with its name, it leads to what is known of it. */
export function ObjectiveLink({
  record: { objectiveType, objectiveId },
  name,
}: {
  readonly record: Intervention;
  readonly name: string | undefined;
}) {
  const kind = `(${translateCode("objective", objectiveType)} ${objectiveId})`;
  if (name === undefined) return kind;
  const address = new URLSearchParams({ type: objectiveType, q: name });
  return (
    <>
      <a href={`#/objectives?${address.toString()}`}>{name}</a> {kind}
    </>
  );
}

/** Sites whose references contain that of another, such as `hall` and `hall-2`, are found with it. */
const SITES_SOUGHT = 50;

/** The site that has sent a record, with its page if it has reported. */
export function SiteLink({ site: { ref, name } }: { readonly site: RecordSite }) {
  const sought = new URLSearchParams({ q: ref, _end: String(SITES_SOUGHT) });
  const { response } = useQuery<SiteView[]>(apiPath(`/sites?${sought.toString()}`));
  const id = response?.body.find(({ report }) => report.ref === ref)?.id;
  const text = `${name ?? ""} (${ref})`.trim();
  return id === undefined ? text : <a href={`#/sites/${id}`}>{text}</a>;
}

/** What a crew needs to know of the objective. */
export function aboutObjective(objective: Objective | undefined) {
  if (!objective) return [];
  const address = objectiveAddress(objective);
  const hasDetails = objectiveDetails(objective).some(([field]) => field !== "address" && field !== "city");
  return [
    ...(address ? [[t("record.address"), address] as const] : []),
    ...(hasDetails
      ? [[t("interventions.aboutObjective"), <ObjectiveDetails objective={objective} />] as const]
      : []),
  ];
}
