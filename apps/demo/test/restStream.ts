/**
 * Streams the history of a wallet with 1,000 and with 100,000 rows from a service over a generated store. Prints the peak of the
 * live heap, and rows per second compared with fetch and JSON.parse of the same pages: `pnpm --filter @daybook/demo rest:large`.
 * Each measurement runs in its own process. Exits with 1 when memory grows with the history.
 */
import { spawn } from "node:child_process"
import { cpus } from "node:os"
import { createRestClient } from "@daybook/rest/promise"
import { Effect, Redacted } from "effect"
import { freePort } from "@daybook/harness/FreePort"
import { makeStore, serve, wallet } from "./generated.ts"

interface Measured {
  readonly rows: number
  readonly seconds: number
  /** Largest live heap after a collection, in bytes. */
  readonly peakHeap: number
  readonly peakResident: number
}

const sizes = [1_000, 100_000]

type Way = "client" | "fetch"

async function* byFetch(baseUrl: string, apiKey: string): AsyncGenerator<unknown> {
  const url = new URL(`${baseUrl}/api/v2.2/${wallet}/verbose?chain=eth&limit=100&order=DESC`)
  for (;;) {
    const response = await fetch(url, { headers: { "x-api-key": apiKey, accept: "application/json" } })
    const page = JSON.parse(await response.text()) as {
      readonly cursor: string | null
      readonly result: Array<unknown>
    }
    yield* page.result
    if (page.cursor === null) return
    url.searchParams.set("cursor", page.cursor)
  }
}

/** Reads all rows once. Measures the live heap every `everyRows` rows. */
const readAll = async (way: Way, baseUrl: string, apiKey: string, everyRows: number | undefined): Promise<Measured> => {
  const rows =
    way === "fetch"
      ? byFetch(baseUrl, apiKey)
      : createRestClient({ baseUrl, apiKey }).walletTransactionsStream({
          address: wallet,
          chain: "eth",
          limit: 100,
          order: "DESC",
        })
  let [count, peakHeap, peakResident] = [0, 0, 0]
  const measureHeap = () => {
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    peakHeap = Math.max(peakHeap, heapUsed)
    peakResident = Math.max(peakResident, rss)
  }
  const began = performance.now()
  for await (const _ of rows) if (++count % (everyRows ?? Infinity) === 0) measureHeap()
  const seconds = (performance.now() - began) / 1000
  return { rows: count, seconds, peakHeap, peakResident }
}

const [command, url = "", key = "", way = "client", every = ""] = process.argv.slice(2)

const measure = (args: ReadonlyArray<string>): Promise<Measured> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--expose-gc", import.meta.filename, "read", ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`Process failed: exit code ${code}.`)),
    )
  })

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

const show = (text: string, { peakHeap, peakResident, rows, seconds }: Measured) =>
  console.log(
    `${text.padEnd(24)} ${String(rows).padStart(7)} rows ${String(Math.round(rows / seconds)).padStart(7)} rows/s` +
      (peakHeap === 0 ? "" : `  live heap ${mebibytes(peakHeap)}, resident ${mebibytes(peakResident)}`),
  )

const main = Effect.gen(function* () {
  console.log(`${new Date().toISOString()}, Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "?"}`)
  const peaks: Array<number> = []
  for (const size of sizes) {
    const { apiKey, folder } = yield* makeStore(size)
    const port = yield* Effect.promise(freePort)
    const service = yield* Effect.acquireRelease(
      Effect.promise(() => serve(folder, port)),
      ({ end }) => Effect.promise(() => end("SIGTERM")),
    )
    const given = [service.url, Redacted.value(apiKey)]
    const heap = yield* Effect.promise(() => measure([...given, "client", "250"]))
    show("client, heap measured", heap)
    peaks.push(heap.peakHeap)
    for (const one of ["fetch", "client", "fetch", "client"]) {
      show(one === "fetch" ? "fetch + JSON.parse" : "client", yield* Effect.promise(() => measure([...given, one])))
    }
    if (heap.rows !== size) return yield* Effect.die(new Error(`Rows missing: received ${heap.rows} of ${size}.`))
  }
  const [small = 0, large = 0] = peaks
  console.log(`live heap of 100,000 rows is ${(large / small).toFixed(2)} times that of 1,000`)
  return large <= small * 1.25
})

if (command === "read") {
  console.log(JSON.stringify(await readAll(way as Way, url, key, every === "" ? undefined : Number(every))))
} else {
  const isFlat = await Effect.runPromise(Effect.scoped(main))
  process.exitCode = isFlat ? 0 : 1
}
