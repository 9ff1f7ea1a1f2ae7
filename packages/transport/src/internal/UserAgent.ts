/** The `user-agent` header of a client. */

/**
 * Headers for the option `userAgent`: its text, or else the name of the client. No header for an empty text, or in a browser without the
 * option: browsers have their own user agent, and sending another one would need the server's permission.
 */
export const headers = (given: string | undefined, client: string): Readonly<Record<string, string>> => {
  const isBrowser = globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false
  const text = given ?? (isBrowser ? "" : client)
  return text === "" ? {} : { "user-agent": text }
}
