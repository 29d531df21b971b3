/* A migration of the main database, as SQL. A migration that was released is never edited. */

/** The floor plans with their pictures. */
export const PLANS = `
  CREATE TABLE plans(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    -- Base64, at most 2.8 MB.
    picture TEXT NOT NULL,
    picture_at INTEGER NOT NULL,
    pins TEXT NOT NULL CHECK(json_valid(pins))
  ) STRICT;
`;
