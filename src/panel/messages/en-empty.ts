/** What belongs on a screen that has nothing yet, and where no filter fits, in English. */
export const EN_EMPTY = {
  "interventions.none": "No interventions yet. Each alarm creates one.",
  "interventions.noneFound": "No intervention matches the filters.",
  "objectives.none":
    "No objectives of this type. They come from the dispatch centre or from the configuration.",
  "objectives.noneFound": "No objective matches.",
  "objectives.all": "All objectives",
  "events.noneFound": "No loaded entry matches the filters.",
  "events.all": "All entries",
  "sync.nothingQueued": "No record is waiting to be sent.",
  "sync.receiverOnly":
    "This site has no dispatch centre, so no records are sent. The monitoring receiver gets its events.",
  "sync.standalone": "This site works without a dispatch centre, so nothing is sent.",
  "sites.all": "All sites",
  "walk.noZones": "A walk test needs at least one zone.",
  "walk.noneRunning": "No walk test is running. Only an operator can start one.",
  "missing.title": "Screen not found",
  "missing.text": "The panel has no such screen, or this account may not open it.",
} as const;
