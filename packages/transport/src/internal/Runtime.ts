/** Detects restrictions of the platform by its user agent. */

/**
 * True if the platform ties input and output to the incoming request that started them, as Cloudflare Workers does. There, a call that
 * waits for I/O of another request never completes.
 */
export const isolatesRequests = (): boolean => globalThis.navigator?.userAgent === "Cloudflare-Workers"
