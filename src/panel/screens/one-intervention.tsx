import { route } from "../route.ts";
import { InterventionForm } from "./intervention-form.tsx";
import { InterventionScreen } from "./intervention.tsx";

/** An intervention, or the form for a new one, by the address. */
export function OneIntervention() {
  const { item = "new", action } = route.value;
  if (item === "new") return <InterventionForm />;
  return <InterventionScreen key={item} id={item} isEdited={action === "edit"} />;
}
