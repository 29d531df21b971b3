/** The bar of new alarms, and what the shift of a dispatcher needs besides, in English. */
export const EN_ALARM_BAR = {
  "app.siteTime": "Site time {time}",
  "app.siteTimeBoth": "Site time {time} (here {own})",
  "app.centreTime": "Centre time {time}",
  "app.centreTimeBoth": "Centre time {time} (here {own})",

  "newAlarms.title": { one: "New alarm", other: "New alarms" },
  "newAlarms.open": "Open",
  "newAlarms.more": { one: "and {n} more", other: "and {n} more" },
  "newAlarms.dismiss": "Dismiss",
  "newAlarms.sound": "Sound for new alarms",
  "newAlarms.press": "The browser plays it only after a press on this page.",

  "interventions.aboutObjective": "About the objective",
  "interventions.otherIsAlarm": "An intervention of type “other” counts as an alarm until it is done.",
} as const;
