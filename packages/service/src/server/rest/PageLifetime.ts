/**
 * How long a client may show a page that the chain does not change any more without asking again. Only what the operator does changes
 * such a page (labels, ABIs, another version of the decoder, or indexing anew), and names of the Ethereum Name Service.
 *
 * Source: RFC 9111, section 5.2.2; decision 0040.
 */
import type { KeyGrant } from "../../store/ApiKeys.ts"
import * as AnonymousCaller from "../admission/AnonymousCaller.ts"
import type * as Response from "../http/Response.ts"

const maxAgeSeconds = 3_600

/**
 * The headers of a page that is fixed. It belongs to the owner of a key; where callers need none, to everyone. Pages that a browser of this
 * machine reads without a key are not kept: another page in it must not find them.
 */
export const headersOf = (grant: KeyGrant): Response.Headers => {
  const isAnonymous = AnonymousCaller.is(grant)
  if (grant.name === "" && !isAnonymous) return {}
  const scope = isAnonymous ? "public" : "private"
  return { "cache-control": `${scope}, max-age=${maxAgeSeconds}`, vary: "authorization, x-api-key" }
}
