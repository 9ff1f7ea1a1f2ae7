/** The URLs of PostgreSQL databases. */

/** Form of the URLs, for messages. */
export const form = 'a PostgreSQL URL, for example "postgres://user:password@host/name"'
