/** Bound of the cursors that the client accepts. */

/** Characters of a cursor: some twenty times those of the service, and far below what servers accept as a URL. */
export const maxCharacters = 4_096
