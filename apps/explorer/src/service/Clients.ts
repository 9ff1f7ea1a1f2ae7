/** The clients of the service. Loaded when the first page needs them, and made once per key and chain. */
import type { ExplorerClient } from "@daybook/rest/ExplorerClient"
import type { RestPromiseClient } from "@daybook/rest/promise"
import type { WebhookPromiseClient } from "@daybook/rest/WebhookClient"
import type { RpcClient } from "@daybook/rpc/promise"
import * as ApiKey from "./ApiKey.ts"
import * as Tip from "./Tip.ts"

/** All clients read from the page's own origin. Short, so that a page shows an error rather than wait for long. */
const timeout = "20 seconds"
const retry = { maxAttempts: 2 }

/** Makes a value once per key. Failures are not cached, so that the next call tries again. */
const memoize = <A>(make: (key: string) => Promise<A>): ((key: string) => Promise<A>) => {
  const made = new Map<string, Promise<A>>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    value.catch(() => made.delete(key))
    return value
  }
}

/** The REST client for a key. */
export const rest: (apiKey: string) => Promise<RestPromiseClient> = memoize(async (apiKey) => {
  const { createRestClient } = await import("@daybook/rest/promise")
  return createRestClient({ baseUrl: location.origin, apiKey, timeout, retry, fetch: Tip.fetchOnce(fetch) })
})

/** The client for names, search, ABIs, settings and status, for a key. */
export const explorer: (apiKey: string) => Promise<ExplorerClient> = memoize(async (apiKey) => {
  const { createExplorerClient } = await import("@daybook/rest/ExplorerClient")
  return createExplorerClient({ baseUrl: location.origin, apiKey, timeout, retry })
})

/** The client for webhooks, for a key. */
export const webhooks: (apiKey: string) => Promise<WebhookPromiseClient> = memoize(async (apiKey) => {
  const { createWebhookClient } = await import("@daybook/rest/WebhookClient")
  return createWebhookClient({ baseUrl: location.origin, apiKey, timeout, retry })
})

/** The client for the status. It does not retry, because the status is polled often. */
export const status: () => Promise<ExplorerClient> = () => statusOf(ApiKey.openKey)

const statusOf: (apiKey: string) => Promise<ExplorerClient> = memoize(async (apiKey) => {
  const { createExplorerClient } = await import("@daybook/rest/ExplorerClient")
  return createExplorerClient({ baseUrl: location.origin, apiKey, timeout, retry: { maxAttempts: 1 } })
})

const rpcOf: (target: string) => Promise<RpcClient> = memoize(async (target) => {
  const [chain = "", apiKey = ""] = target.split("\n")
  const { createRpcClient } = await import("@daybook/rpc/promise")
  const url = `${location.origin}/rpc/${encodeURIComponent(chain)}`
  // The key is sent in a header: URLs are logged.
  return createRpcClient({ url, headers: { "x-api-key": apiKey }, timeout, retry })
})

/** The JSON-RPC client for a chain and key. */
export const rpc = (chain: string, apiKey: string): Promise<RpcClient> => rpcOf(`${chain}\n${apiKey}`)
