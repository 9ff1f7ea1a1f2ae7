/** Bytes, CPU and requests a second of responses in each coding, and of pages that the client has by their tag. */
import * as Figures from "../Figures.ts"
import * as ProcessUse from "../ProcessUse.ts"
import * as LoadGenerator from "./LoadGenerator.ts"
import type { LoadRequest } from "./LoadGenerator.ts"
import * as ServiceProcess from "./ServiceProcess.ts"
import type { Setup } from "./Setup.ts"
import * as WalletRequests from "./WalletRequests.ts"

const codings = ["identity", "gzip", "br", "zstd"] as const

const known = "304 by its tag"

const bodies = {
  page: "a page of 25 transactions",
  receipts: "the receipts of a block, relayed",
  small: "the number of the newest block, relayed",
} as const

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
      // Sound: these requests have a key alone.
      const { headers } = await fetch(request.url, { headers: request.headers as Record<string, string> })
      return { ...request, headers: { ...request.headers, "if-none-match": headers.get("etag") ?? "" } }
    }),
  )

const subjectOf = (body: string, way: string): string => `${body}: ${way}`

/** Measures each body in each coding; the first round warms up. */
export const measure = async (figures: Figures.Figures, setup: Setup): Promise<void> => {
  const { addresses, concurrency, indexed, millis, rounds } = setup
  const serving = await ServiceProcess.start(indexed, "serve")
  try {
    const relay = `${serving.origin}/rpc/bench/${indexed.key}`
    const pages = WalletRequests.make(serving.origin, indexed.key, addresses)
    const requests: ReadonlyArray<readonly [string, ReadonlyArray<LoadRequest>]> = [
      [bodies.page, pages],
      [bodies.receipts, callsOf(relay, "eth_getBlockReceipts", (index) => [`0x${(100 + index).toString(16)}`])],
      [bodies.small, callsOf(relay, "eth_blockNumber", () => [])],
    ]
    const subjects = [
      ...requests.flatMap(([body, list]) =>
        codings.map((coding) => [subjectOf(body, coding), withHeaders(list, { "accept-encoding": coding })] as const),
      ),
      [subjectOf(bodies.page, known), await withTags(pages)] as const,
    ]
    for (let round = 0; round <= rounds; round++) {
      for (const [subject, list] of subjects) {
        const before = ProcessUse.cpuMicros(serving.pid) ?? 0
        const load = await LoadGenerator.saturate(list, concurrency, LoadGenerator.hasElapsed(millis))
        const micros = (ProcessUse.cpuMicros(serving.pid) ?? 0) - before
        if (round === 0) continue
        LoadGenerator.addLoad(figures, subject, load)
        figures.add(subject, "bytes", load.bytes)
        figures.add(subject, "CPU us", micros / load.count)
      }
    }
  } finally {
    await serving.stop()
  }
}

export const table = (figures: Figures.Figures, { concurrency }: Setup): void => {
  console.log(`codings and tags, ${concurrency} at a time\n`)
  console.log("| | bytes | CPU, us | requests/s | p50, ms |\n|---|--:|--:|--:|--:|")
  const columns = [
    ["bytes", 0],
    ["CPU us", 0],
    ["requests/s", 0],
    ["p50 ms", 2],
  ] as const
  for (const body of Object.values(bodies)) {
    for (const way of [...codings, known]) {
      const subject = subjectOf(body, way)
      if (figures.values(subject, "bytes").length === 0) continue
      const cells = columns.map(([measure, digits]) => Figures.cell(figures.median(subject, measure), digits))
      console.log(`| ${subject} | ${cells.join(" | ")} |`)
    }
  }
  console.log("")
}
