/**
 * A host name that no resolver knows. Its label is longer than 63 characters, so that it fails without a query: some networks
 * answer every name.
 */
export const UNKNOWN_HOST = `${"no-such-".repeat(8)}.invalid`;
