const PREFIX = "DC-09 ";

/** Name of an alarm panel in faults and records. @param account in capitals */
export function alarmPanelName(account: string): string {
  return PREFIX + account;
}

/** The beginning of a text about a bridge with its name, or about an alarm panel, which is none to its user, with its account. */
export function bridgeText(name: string, bridge: string, alarmPanel: string): string {
  return name.startsWith(PREFIX) ? alarmPanel + name.slice(PREFIX.length) : bridge + name;
}
