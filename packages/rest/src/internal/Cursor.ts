/** Limit on the cursors that the client accepts. */

/** Maximum length of a cursor: some twenty times the service's own, and far below what servers accept in a URL. */
export const maxCharacters = 4_096
