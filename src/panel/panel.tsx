import "./theme.ts";
import { render } from "preact";
import { loadTexts } from "./i18n.ts";
import { runLiveUpdates } from "./live-updates.ts";
import { resume } from "./session.ts";
import { Shell } from "./shell.tsx";

const root = document.getElementById("panel");

async function start(): Promise<void> {
  // On a slow network each of them takes a turn: the account and the texts travel together.
  void resume();
  void runLiveUpdates();
  await loadTexts();
  if (root) {
    // Not needed before the first press.
    void import("./focus.ts").then(({ keepFocus }) => keepFocus(root));
    render(<Shell />, root);
  }
  void import("./offline.ts").then(({ keepOfflinePage }) => keepOfflinePage());
}

void start();
