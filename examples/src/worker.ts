/** Responds to `/<address>` with the wallet's latest transactions, on Cloudflare Workers, Deno, Bun and Lambda function URLs. */
import { createRestClient, isRestError, toJson } from "@daybook/rest/promise"

export interface Environment {
  readonly DAYBOOK_BASE_URL: string
  readonly DAYBOOK_API_KEY: string
}

export const history = async (path: string, environment: Environment, signal?: AbortSignal): Promise<Response> => {
  const rest = createRestClient({ baseUrl: environment.DAYBOOK_BASE_URL, apiKey: environment.DAYBOOK_API_KEY })
  try {
    const { result } = await rest.walletTransactions(
      { address: path.slice(1), limit: 10 },
      { signal, timeout: "5 seconds" },
    )
    return Response.json(toJson(result))
  } catch (error) {
    if (!isRestError(error)) throw error
    const status = error._tag === "BadRequest" ? 400 : 502
    return Response.json({ message: error._tag === "BadRequest" ? error.message : "History unavailable" }, { status })
  }
}

/** Cloudflare Workers, Deno (`deno serve`) and Bun. */
export default {
  fetch: (request: Request, environment: Environment) =>
    history(new URL(request.url).pathname, environment, request.signal),
}

/** AWS Lambda. */
export const handler = async ({ rawPath }: { readonly rawPath: string }) => {
  const response = await history(rawPath, process.env as unknown as Environment)
  return { statusCode: response.status, headers: { "content-type": "application/json" }, body: await response.text() }
}
