/**
 * Responds to `/<address>` with a page of a wallet, for browsers. It hides the key and sets how long a page may be cached, so that a cache
 * such as nginx (deploy/nginx.conf) can run in front of it. Revalidation with a tag yields 304, also from the service.
 */
import { type createRestClient, isRestError, toJson } from "@daybook/rest/promise"

/** The newest rows change with each block. A page of final blocks may be cached for as long as the service states. */
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
