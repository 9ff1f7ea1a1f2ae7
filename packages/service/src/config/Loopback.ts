/** Addresses and names that only this machine reaches. */

/** True for a listening address, or a name without a port, that only this machine reaches. */
export const isLoopback = (host: string): boolean => /^(?:127(?:\.\d+){3}|::1|localhost)$/i.test(host)
