import "./theme.ts";
import { effect } from "@preact/signals";
import { render } from "preact";
import { pause } from "./clock.ts";
import { loadTexts } from "./i18n.ts";
import { liveness, runLiveUpdates } from "./live-updates.ts";
import { resume, sessionState } from "./session.ts";
import { Shell } from "./shell.tsx";

const root = document.getElementById("panel");

/**
 * The answers to the first requests have mostly arrived before the scripts have run. Drawing the page without them first takes a
 * slow phone a fifth of a second; after this time it is drawn without them.
 */
const ANSWERS_MS = 300;

async function start(): Promise<void> {
  // On a slow network each of them takes a turn: the account and the texts travel together.
  void resume();
  void runLiveUpdates();
  await Promise.all([loadTexts(), Promise.race([stateKnown(), pause(ANSWERS_MS)])]);
  if (root) {
    // Not needed before the first press.
    void import("./focus.ts").then(({ watchPage }) => watchPage(root));
    render(<Shell />, root);
    // What says that the page has not loaded.
    root.nextElementSibling?.remove();
  }
  void import("./offline.ts").then(({ keepOfflinePage }) => keepOfflinePage());
}

/** Resolves once the page has something to show: the state of the site, or who has to sign in. */
async function stateKnown(): Promise<void> {
  let stop = (): void => {};
  await new Promise<void>((resolve) => {
    stop = effect(() => {
      const state = sessionState.value;
      if (state !== "starting" && (state !== "in" || liveness.value !== "starting")) resolve();
    });
  });
  stop();
}

void start();
