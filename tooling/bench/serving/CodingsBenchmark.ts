/** Bytes, CPU time and requests per second of responses in each content coding, and of pages that the client has cached by their tag. */
import type * as Figures from "../Figures.ts"
import type { LoadRequest } from "./LoadGenerator.ts"
import * as Loads from "./Loads.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as Tables from "./Tables.ts"
import * as WalletRequests from "./WalletRequests.ts"

const codings = ["identity", "gzip", "br", "zstd"] as const

const callsOf = (url: string, method: string, params: (index: number) => ReadonlyArray<unknown>) =>
  Array.from({ length: 50 }, (_, index): LoadRequest => ({
    url: new URL(url),
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: index, method, params: params(index) }),
  }))

const withHeaders = (requests: ReadonlyArray<LoadRequest>, more: Readonly<Record<string, string>>) =>
  requests.map((request) => ({ ...request, headers: { ...request.headers, ...more } }))

/** The requests with the tags of their pages. */
const withTags = (requests: ReadonlyArray<LoadRequest>): Promise<ReadonlyArray<LoadRequest>> =>
  Promise.all(
    requests.map(async (request) => {
      // Sound: these requests only have a key.
      const { headers } = await fetch(request.url, { headers: request.headers as Record<string, string> })
      return { ...request, headers: { ...request.headers, "if-none-match": headers.get("etag") ?? "" } }
    }),
  )

/** Measures each body in each coding. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const { addresses, indexed, isSmallest } = setup
  const { origin, pid, stop } = await ServiceProcess.start(indexed, "serve")
  try {
    const relay = `${origin}/rpc/bench/${indexed.key}`
    const pages = WalletRequests.make(origin, indexed.key, addresses)
    const first = isSmallest ? 1 : 100
    const blockOf = (index: number) => `0x${(first + (isSmallest ? index % 5 : index)).toString(16)}`
    const requests: ReadonlyArray<readonly [string, ReadonlyArray<LoadRequest>]> = [
      [Tables.bodies.page, pages],
      [Tables.bodies.receipts, callsOf(relay, "eth_getBlockReceipts", (index) => [blockOf(index)])],
      [Tables.bodies.small, callsOf(relay, "eth_blockNumber", () => [])],
    ]
    await Loads.measure(figures, setup, [
      ...requests.flatMap(([body, list]) =>
        codings.map((coding) => ({
          name: `${body}: ${coding}`,
          requests: withHeaders(list, { "accept-encoding": coding }),
          pid,
        })),
      ),
      { name: `${Tables.bodies.page}: 304 by its tag`, requests: await withTags(pages), pid },
    ])
  } finally {
    await stop()
  }
}
