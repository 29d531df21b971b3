import "./theme.ts";
import { render } from "preact";
import { loadTexts } from "./i18n.ts";
import { follow } from "./live-updates.ts";
import { resume } from "./session.ts";
import { Shell } from "./shell.tsx";

const root = document.getElementById("panel");

async function start(): Promise<void> {
  await loadTexts();
  if (root) {
    // Not needed before the first press.
    void import("./focus.ts").then(({ keepFocus }) => keepFocus(root));
    render(<Shell />, root);
  }
  void resume();
  void follow();
  void import("./offline.ts").then(({ keepOfflinePage }) => keepOfflinePage());
}

void start();
