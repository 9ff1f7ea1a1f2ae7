/**
 * Checks whether a certificate is valid at a given time. An invalid one is used nevertheless and reported, because clients of a closed
 * network may accept it.
 */
import { X509Certificate } from "node:crypto"

/** Whether a certificate is valid, with a sentence about since or until when. */
export interface Validity {
  readonly isValid: boolean
  readonly text: string
}

/** Validity of a PEM certificate, the first one of a chain, at a time in milliseconds since 1970. */
export const validityAt = (nowMillis: number, pem: Uint8Array): Validity => {
  const { validFrom, validTo } = new X509Certificate(pem)
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
  const dated = (isValid: boolean, what: string, millis: number) => ({
    isValid,
    text: `The certificate of "tls" ${what} ${new Date(millis).toISOString()}${isValid ? "" : ": clients reject it"}`,
  })
  if (nowMillis > to) return dated(false, "expired at", to)
  return nowMillis < from ? dated(false, "is not valid before", from) : dated(true, "is valid until", to)
}
