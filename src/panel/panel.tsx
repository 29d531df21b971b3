import "./theme.ts";
import { render } from "preact";
import { keepFocus } from "./focus.ts";
import { loadTexts } from "./i18n.ts";
import { follow } from "./live-updates.ts";
import { keepOfflinePage } from "./offline.ts";
import { resume } from "./session.ts";
import { Shell } from "./shell.tsx";

const root = document.getElementById("panel");

async function start(): Promise<void> {
  await loadTexts();
  if (root) {
    keepFocus(root);
    render(<Shell />, root);
  }
  void resume();
  void follow();
  void keepOfflinePage();
}

void start();
