import { route } from "../route.ts";
import { InterventionForm } from "./intervention-form.tsx";
import { InterventionScreen } from "./intervention.tsx";
import { InterventionsScreen } from "./interventions.tsx";

/** The list of interventions, one of them, or the form for a new one, by the address. */
export function Interventions() {
  const { item, action } = route.value;
  if (item === undefined) return <InterventionsScreen />;
  if (item === "new") return <InterventionForm />;
  return <InterventionScreen key={item} id={item} isEdited={action === "edit"} />;
}
