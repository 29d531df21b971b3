import type { Objective } from "../generated/types.ts";
import { translateCode } from "./i18n.ts";

/** What is known of an objective besides its number and name. Fields differ by type, so every non-empty value is shown. */
export function objectiveDetails({
  id: _id,
  name: _name,
  ...rest
}: Objective): readonly (readonly [field: string, text: string])[] {
  return Object.entries(rest).flatMap(([field, value]) => {
    if (typeof value === "number")
      return [[field, translateCode("objectives.number", field, String(value), { n: value })] as const];
    if (typeof value !== "string" || value === "") return [];
    return [[field, field === "status" ? translateCode("objectives.status", value) : value] as const];
  });
}

/** The address of an objective with its city; empty without one. */
export function objectiveAddress({ address, city }: Pick<Objective, "address" | "city">): string {
  return [address, city].filter(Boolean).join(", ");
}

/** What an objective has besides its address, such as its telephone number, which can be called, and how to get in. */
export function ObjectiveDetails({ objective }: { readonly objective: Objective }) {
  const details = objectiveDetails(objective).filter(([field]) => field !== "address" && field !== "city");
  return details.map(([field, text], index) => (
    <span key={field}>
      {index > 0 && " · "}
      {field === "phone" ? <a href={`tel:${text.replace(/[^+\d]/g, "")}`}>{text}</a> : text}
    </span>
  ));
}
