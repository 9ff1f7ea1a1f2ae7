/**
 * Parameter for the limit of a statement. SQLite plans by the value of a bare `LIMIT ?`, so it prepares the statement again whenever a
 * value is bound, even the same one, which takes as long as a short statement.
 */
export const limit = "LIMIT ? + 0"
