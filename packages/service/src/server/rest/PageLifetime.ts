/**
 * How long a client may use a page that the chain can no longer change without revalidating it. Only the operator can change such a page
 * (labels, ABIs, another version of the decoder, or a new index), and names of the Ethereum Name Service.
 *
 * Source: RFC 9111, section 5.2.2; decision 0040.
 */
import type { KeyGrant } from "../../store/ApiKeys.ts"
import * as AnonymousCaller from "../admission/AnonymousCaller.ts"
import type * as Response from "../http/Response.ts"

const maxAgeSeconds = 3_600

/**
 * Headers of a fixed page. It is private to the owner of a key; if callers need none, it is public. Pages that a browser on this machine
 * reads without a key are not cached, because other pages in it must not find them.
 */
export const headersOf = (grant: KeyGrant): Response.Headers => {
  const isAnonymous = AnonymousCaller.is(grant)
  if (grant.name === "" && !isAnonymous) return {}
  const scope = isAnonymous ? "public" : "private"
  return { "cache-control": `${scope}, max-age=${maxAgeSeconds}`, vary: "authorization, x-api-key" }
}
