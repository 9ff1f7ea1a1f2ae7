/**
 * Answers `/<address>` with a page of a wallet, for browsers: it hides the key, and states how long a page may be kept, so that a cache such as
 * nginx (deploy/nginx.conf) stands before it. A page that the sender has is 304, also towards the service.
 */
import { type createRestClient, isRestError, toJson } from "@daybook/rest/promise"

/** The newest rows change with each block; a page of final blocks is kept for as long as the service states. */
const lifetime = (stated: string | undefined): string => stated?.replace("private", "public") ?? "public, max-age=1"

export const proxy =
  (rest: ReturnType<typeof createRestClient>) =>
  async ({ headers, signal, url }: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(url)
    const query = { address: pathname.slice(1), cursor: searchParams.get("cursor"), limit: 25 }
    try {
      const options = { ifNoneMatch: headers.get("if-none-match") ?? '"none"', signal }
      const response = await rest.walletTransactionsWithResponse(query, options)
      const { etag = "", "cache-control": stated } = response.headers
      const kept = { etag, "cache-control": lifetime(stated === "no-store" ? undefined : stated) }
      if (response.notModified) return new Response(null, { status: 304, headers: kept })
      return Response.json(toJson(response.page), { headers: kept })
    } catch (error) {
      if (!isRestError(error)) throw error
      const status = error._tag === "BadRequest" ? 400 : error._tag === "StaleCursor" ? 409 : 502
      return Response.json({ message: status === 502 ? "History unavailable" : error.message }, { status })
    }
  }
