/**
 * A limit of a statement that is a parameter. SQLite plans by the value of a bare `LIMIT ?`, so it prepares the statement again whenever
 * one is bound, also the same one, which takes as long as a short statement.
 */
export const limit = "LIMIT ? + 0"
