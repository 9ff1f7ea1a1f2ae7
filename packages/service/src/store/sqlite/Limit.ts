/**
 * Parameter for the limit of a statement. SQLite plans for the value of a bare `LIMIT ?`, so it re-prepares the statement whenever a value
 * is bound, even the same one, which takes as long as a short statement.
 */
export const limit = "LIMIT ? + 0"
