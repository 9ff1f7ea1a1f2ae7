/** What the platform allows, by the name that it gives itself. */

/**
 * True where the platform ties input and output to the incoming request that began them, as Cloudflare Workers does: a call of one
 * request never ends when it waits for a request of another one.
 */
export const isolatesRequests = (): boolean => globalThis.navigator?.userAgent === "Cloudflare-Workers"
