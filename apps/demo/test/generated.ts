/** A service with a generated history: a store filled through its public interface, and `daybook serve` as a child process. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Eventually } from "@daybook/harness"
import { WalletHistory } from "@daybook/hostile"
import * as Engine from "@daybook/service/Engine"
import type { BlockRef, BlockRows } from "@daybook/service/Engine"
import { Effect } from "effect"

const daybook = process.env["DAYBOOK_MAIN"] ?? join(import.meta.dirname, "../../../packages/service/src/main.ts")

export const wallet = WalletHistory.wallet

const padded = (value: number) => `0x${value.toString(16).padStart(64, "0")}`

/** The blocks of a history without gaps; blocks without rows are empty. */
function* blocksOf(rows: ReadonlyArray<WalletHistory.Row>): Generator<BlockRows> {
  const inBlock = new Map<number, Array<WalletHistory.Row>>()
  for (const row of rows) {
    const number = Number(row.block_number)
    const others = inBlock.get(number)
    if (others === undefined) inBlock.set(number, [row])
    else others.push(row)
  }
  const genesisSeconds = Date.UTC(2026, 0, 1) / 1000
  const last = Number(rows.at(-1)?.block_number ?? 0)
  for (let number = 0; number <= last; number++) {
    yield {
      number,
      hash: padded(number + 1),
      parentHash: padded(number),
      timestamp: genesisSeconds + number * 12,
      decoderRevision: 1_000_000,
      transactions: (inBlock.get(number) ?? []).map((row) => {
        const { from_address_label: _from, to_address_label: _to, ...body } = row
        const index = Number(row["transaction_index"])
        return { index, hash: row.hash, body: JSON.stringify(body), internal: null, addresses: [wallet] }
      }),
    }
  }
}

/** A folder with the store of a wallet with this many rows, and an API key for it. */
export const makeStore = (rows: number) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-generated-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
    )
    const history = WalletHistory.make(7, { rows })
    const apiKey = yield* Effect.scoped(
      Effect.gen(function* () {
        const database = yield* Engine.fromUrl("sqlite:data", folder)
        const ref = { name: "eth", id: 1 }
        const writer = yield* database.chain(ref).writer()
        const token = (yield* database.leases.acquire(ref, "test", 60_000))!
        let head: BlockRef | null = null
        let waiting: Array<BlockRows> = []
        const flush = Effect.suspend(() => {
          const [blocks, expected] = [waiting, head]
          waiting = []
          head = blocks.at(-1) ?? head
          return blocks.length === 0 ? Effect.void : writer.append(expected, blocks, token)
        })
        for (const block of blocksOf(history)) {
          waiting.push(block)
          if (waiting.length === 2_000) yield* flush
        }
        yield* flush
        return yield* database.apiKeys.add({ name: "reader", operator: false, empty: null })
      }),
    )
    if (apiKey === null) return yield* Effect.die(new Error("Key exists in a new database: reader."))
    return { folder, apiKey, hashes: history.map(({ hash }) => hash) }
  })

/** `daybook serve --role serve` as a process; resolves when it responds. `end` stops it with a signal and waits. */
export const serve = async (folder: string, port: number) => {
  const config = join(folder, "daybook.json")
  const chains = { eth: { rpc: ["http://127.0.0.1:1"], fromBlock: 0 } }
  const rateLimit = { perSecond: 100_000, burst: 100_000 }
  writeFileSync(
    config,
    JSON.stringify({ listen: { host: "127.0.0.1", port }, database: "sqlite:data", chains, rateLimit }),
  )
  const child = spawn(process.execPath, [daybook, "serve", "--config", config, "--role", "serve"], {
    stdio: ["ignore", "ignore", "pipe"],
  })
  let errors = ""
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const isUp = () => {
    if (child.exitCode !== null) throw new Error(`daybook exited: ${child.exitCode}. ${errors}`)
    return fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  await Eventually.until(isUp, { everyMillis: 30, what: "daybook responds" })
  return {
    url,
    end: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    },
  }
}
