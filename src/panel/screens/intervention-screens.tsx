import { LazyScreen } from "../lazy-screen.tsx";
import { route } from "../route.ts";
import { InterventionsScreen } from "./interventions.tsx";

const one = () => import("./one-intervention.tsx").then((screen) => screen.OneIntervention);

/** The list of interventions, or one of them, by the address. */
export function Interventions() {
  return route.value.item === undefined ? <InterventionsScreen /> : <LazyScreen load={one} />;
}
