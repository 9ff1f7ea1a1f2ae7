/**
 * How a SQLite store behaves as it grows: `node growth.ts [transactions...]`, by default 10,000, 100,000 and 1,000,000. Rows are
 * those of the recorded chain, again and again under new numbers and wallets, so that their sizes are real. One busy wallet is
 * in a twentieth of all transactions. Pages are read and spliced in this process, and asked of `daybook serve` over a socket, one
 * after the other. Prints a table.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { createHash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import * as PageWriter from "../../packages/service/src/server/rest/PageWriter.ts"
import * as Engine from "../../packages/service/src/store/Engine.ts"
import * as WalletTransactions from "../../packages/service/src/projection/WalletTransactions.ts"
import type { ChainReader } from "../../packages/service/src/store/ChainReader.ts"
import type { BlockRows, TransactionRow } from "../../packages/service/src/store/BlockRows.ts"
import { rowsOf } from "./indexRows.ts"
import { fill } from "./pageLoad.ts"
import { configure, service } from "./pageService.ts"

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 100_000, 1_000_000]
const pages = 4000
const unwound = 12

const digest = (text: string, bytes: number) =>
  `0x${createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, bytes * 2)}`
const busy = digest("busy", 20)
const quantile = (sorted: ReadonlyArray<number>, part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0

const templates = (await rowsOf()).filter(({ transactions }) => transactions.length > 0)

/** Wallets: as many as a hundredth of the transactions so far, so that histories grow with the chain. */
const walletOf = (serial: number) =>
  digest(`wallet ${Math.imul(serial, 0x9e3779b1) % Math.max(1, Math.floor(serial / 100))}`, 20)

const make = (parent: BlockRows | undefined, serial: number): BlockRows => {
  const number = parent === undefined ? 0 : parent.number + 1
  const template = templates[number % templates.length]!
  const transactions = template.transactions.map((row, index): TransactionRow => {
    const at = serial + index
    const from = at % 20 === 0 ? busy : walletOf(at)
    return { ...row, index, hash: digest(`transaction ${at}`, 32), addresses: [...new Set([from, walletOf(at + 7)])] }
  })
  const hash = digest(`block ${number}`, 32)
  const parentHash = parent?.hash ?? digest("before", 32)
  return { ...template, number, hash, parentHash, timestamp: 1_700_000_000 + number * 12, transactions }
}

const page = (reader: ChainReader, address: string, order: "ASC" | "DESC") =>
  Effect.map(
    reader.snapshot((snapshot) =>
      snapshot.page(WalletTransactions.projection, {
        key: address,
        from: 0,
        to: Number.MAX_SAFE_INTEGER,
        order,
        after: null,
        limit: 26,
        internal: false,
      }),
    ),
    (rows) =>
      PageWriter.page(
        rows.slice(0, 25),
        { cursor: null, page: 0, pageSize: 25 },
        { label: () => null, include: false, empty: "string" },
      ).length,
  )

const timed = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const startedAt = performance.now()
  yield* effect
  return performance.now() - startedAt
})

const measure = Effect.fnUntraced(function* (wanted: number, folder: string) {
  // No node is asked.
  const { file: configuration, key } = configure(folder, "http://127.0.0.1:9")
  const file = join(folder, "data", "chain-bench.sqlite")
  const database = yield* Engine.fromUrl(`sqlite:${join(folder, "data")}`, folder)
  const ref = { name: "bench", id: 31337 }
  const { reader, writer: openWriter } = database.chain(ref)
  const writer = yield* openWriter()
  const token = (yield* database.leases.acquire(ref, "bench", 3_600_000))!
  let head: BlockRows | undefined
  let count = 0
  let documentBytes = 0
  let millis = 0
  while (count < wanted) {
    const batch: Array<BlockRows> = []
    let inBatch = 0
    while (inBatch < 1000 && count < wanted) {
      const block = make(batch.at(-1) ?? head, count)
      batch.push(block)
      inBatch += block.transactions.length
      count += block.transactions.length
      for (const { body, internal } of block.transactions)
        documentBytes += Buffer.byteLength(body) + (internal?.length ?? 0)
    }
    millis += yield* timed(writer.append(head ?? null, batch, token))
    head = batch.at(-1)
  }
  const anyWallet = (turn: number) => walletOf(Math.imul(turn + 1, 7919) % count)
  const orderOf = (turn: number) => (turn % 2 === 0 ? "DESC" : "ASC")
  const latencies = (kind: "busy" | "any") =>
    Effect.gen(function* () {
      const found: Array<number> = []
      for (let turn = 0; turn < pages; turn++) {
        found.push(yield* timed(page(reader, kind === "busy" ? busy : anyWallet(turn), orderOf(turn))))
      }
      return found.slice(pages / 10).toSorted((a, b) => a - b)
    })
  const overSocket = async () => {
    const local = await service(configuration, "serve")
    const shots = Array.from({ length: pages }, (_, turn) => ({
      url: new URL(`/api/v2.2/${anyWallet(turn)}/verbose?chain=0x7a69&limit=25&order=${orderOf(turn)}`, local.origin),
      headers: { "x-api-key": key },
    }))
    const times = (most: number) => {
      let sent = 0
      return () => sent++ >= most
    }
    try {
      await fill(shots.toReversed(), 1, times(pages / 10))
      return await fill(shots, 1, times(pages))
    } finally {
      await local.stop()
    }
  }
  // A small store would lie in the log alone, which is read more slowly.
  const checkpointing = new DatabaseSync(file)
  checkpointing.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  checkpointing.close()
  const ofAny = yield* latencies("any")
  const ofBusy = yield* latencies("busy")
  const served = yield* Effect.promise(overSocket)
  const unwinds: Array<number> = []
  for (let turn = 0; turn < 5; turn++) {
    const [to] = yield* reader.headers(head!.number - unwound, head!.number - unwound)
    unwinds.push(yield* timed(writer.unwind(head!, to!, token)))
    let serial = count
    const again: Array<BlockRows> = []
    for (let index = 0; index < unwound; index++) {
      const block = make((again.at(-1) ?? to) as BlockRows, serial)
      serial += block.transactions.length
      again.push(block)
    }
    yield* writer.append(to!, again, token)
    head = again.at(-1)!
  }
  const closing = new DatabaseSync(file)
  closing.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  closing.close()
  const bytes = statSync(file).size
  const cell = (sorted: ReadonlyArray<number>) =>
    `${quantile(sorted, 0.5).toFixed(3)} / ${quantile(sorted, 0.99).toFixed(3)} ms`
  const row = `| ${count.toLocaleString("en")} | ${Math.round((count / millis) * 1000).toLocaleString("en")}/s | ${cell(ofAny)} | ${cell(ofBusy)} | ${served.p50.toFixed(3)} / ${served.p99.toFixed(3)} ms | ${quantile(
    unwinds.toSorted((a, b) => a - b),
    0.5,
  ).toFixed(
    1,
  )} ms | ${(bytes / count).toFixed(0)} | ${(documentBytes / count).toFixed(0)} | ${(bytes / documentBytes).toFixed(2)} |`
  return { row, any: quantile(ofAny, 0.5), busy: quantile(ofBusy, 0.5), served: served.p50 }
})

console.log(
  `\`node tooling/bench/growth.ts\` on ${cpus()[0]?.model ?? "?"}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n`,
)
console.log(
  "| transactions | appended | page of 25, any wallet, p50 / p99 | of the busiest wallet | of any wallet, served | unwind of 12 blocks | bytes each | document | ratio |",
)
console.log("|---|---|---|---|---|---|---|---|---|")
const found: Array<{ readonly any: number; readonly busy: number; readonly served: number }> = []
/** A store whose figures are left aside: it warms the process up, so that the first of the table is not the slowest. */
const warmUp = 5_000
for (const [index, size] of [warmUp, ...sizes].entries()) {
  const folder = mkdtempSync(join(tmpdir(), "daybook-growth-"))
  try {
    const { row, ...figures } = await Effect.runPromise(Effect.scoped(measure(size, folder)))
    if (index === 0) continue
    console.log(row)
    found.push(figures)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const [first] = found
const last = found.at(-1)
if (first !== undefined && last !== undefined && found.length > 1) {
  console.log(
    `\nfrom ${sizes[0]} to ${sizes.at(-1)}: page p50 grows ${(last.any / first.any).toFixed(2)} times, of the busiest wallet ${(last.busy / first.busy).toFixed(2)} times, served ${(last.served / first.served).toFixed(2)} times`,
  )
}
