/** The `user-agent` header of a client. */

/**
 * The header for the option `userAgent`: that text, else the name of the client. No header for an empty text, and in a browser without the
 * option: it has its own user agent, and would need permission of the server to send another one.
 */
export const headers = (given: string | undefined, client: string): Readonly<Record<string, string>> => {
  const isBrowser = globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false
  const text = given ?? (isBrowser ? "" : client)
  return text === "" ? {} : { "user-agent": text }
}
