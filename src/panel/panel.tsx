import { render } from "preact";
import { follow } from "./live-updates.ts";
import { resume } from "./session.ts";
import { Shell } from "./shell.tsx";

const root = document.getElementById("panel");
if (root) render(<Shell />, root);
void resume();
void follow();
