/** A URL of PostgreSQL as it may be shown: without the password that it may contain. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^/@:]*):[^/]*@/, "$1@").replaceAll(/([?&]password=)[^&]*/gi, "$1…");
}

/** Whether a URL of PostgreSQL contains a password. */
export function hasPassword(url: string): boolean {
  return withoutPassword(url) !== url;
}
