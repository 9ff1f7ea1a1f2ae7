/**
 * A client that reads a wallet's pages while the chain is written, with the handler of the service on a separate store. Each page is
 * compared with the list from the simulated tree, for a state that the store had while the page was read.
 */
import * as RestOperation from "@daybook/schema/RestOperation"
import * as WalletQuery from "@daybook/schema/WalletQuery"
import { Effect, Result, Schema } from "effect"
import type { Scope } from "effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as ChainRegistry from "../../src/config/ChainRegistry.ts"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as ErrorResponse from "../../src/server/http/ErrorResponse.ts"
import * as ChainContracts from "../../src/server/chain/ChainContracts.ts"
import * as IndexedChain from "../../src/query/IndexedChain.ts"
import * as Response from "../../src/server/http/Response.ts"
import * as OperationRoute from "../../src/server/rest/OperationRoute.ts"
import * as WalletTransactions from "../../src/server/rest/WalletTransactions.ts"
import * as Engine from "../../src/store/Engine.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import type { SeededRandom } from "../store/SeededRandom.ts"
import type { Count } from "./Count.ts"
import * as NodeResponse from "./NodeResponse.ts"
import type { Model, Version } from "./Model.ts"
import { Divergence } from "./Divergence.ts"
import type { Block } from "./Tree.ts"
import { addressesOf, ancestorOf, chainOf, wallets } from "./Tree.ts"

/** Dependencies of a reader. */
export interface Setting {
  readonly random: SeededRandom
  readonly count: Count
  readonly url: string
  readonly hasTraces: boolean
  readonly model: Model
  /** Called for an unexpected page. */
  readonly onDivergence: (divergence: Divergence) => void
}

interface Row {
  readonly block: Block
  readonly index: number
  readonly hash: string
  readonly internal: ReadonlyArray<NodeResponse.Internal>
}

interface Walk {
  readonly wallet: string
  readonly order: "ASC" | "DESC"
  readonly from: number | undefined
  readonly to: number | undefined
  readonly include: boolean
}

interface Page {
  readonly cursor: string | null
  readonly result: ReadonlyArray<{
    readonly hash: string
    readonly block_hash: string
    readonly transaction_index: string
    readonly internal_transactions?: ReadonlyArray<Readonly<Record<string, unknown>>> | null
  }>
}

const config = Result.getOrThrow(
  Config.decode({
    listen: { host: "127.0.0.1", port: 0 },
    database: "sqlite:data",
    chains: { eth: { rpc: ["https://node.example"] } },
  }),
)
const [chain] = Result.getOrThrow(ServedChain.fromChains(config.chains))
const decoder = KnownSignatures.decoder()

const decodePath = Schema.decodeUnknownSync(WalletQuery.Path)
const caller = { grant: { name: "reader", operator: false, empty: null }, headers: {} } as const

/** Complete list of a walk for a state of the store. */
const listOf = ({ first, head, lacks }: Version, walk: Walk): ReadonlyArray<Row> => {
  const rows = chainOf(head, Math.max(first, walk.from ?? 0))
    .filter(({ number }) => number <= (walk.to ?? Number.MAX_SAFE_INTEGER))
    .flatMap((block) => block.transactions.map((transaction, index) => ({ block, transaction, index })))
    .filter(({ block, transaction }) => addressesOf(transaction).includes(walk.wallet) && !lacks(block, transaction))
    .map(({ block, transaction, index }) => ({
      block,
      index,
      hash: transaction.hash,
      internal: NodeResponse.internal(block, transaction),
    }))
  return walk.order === "ASC" ? rows : rows.toReversed()
}

/** A state on which a walk may be based, and its list. */
interface Candidate {
  readonly version: Version
  readonly list: ReadonlyArray<Row>
}

/**
 * The candidate with rows of a later state for its blocks: a block that was reverted and stored again may have a receipt that was
 * missing.
 */
const completed = ({ version }: Candidate, states: ReadonlyArray<Version>, walk: Walk): ReadonlyArray<Candidate> =>
  states.map(({ lacks }) => ({ version, list: listOf({ ...version, lacks }, walk) }))

/** Number of rows in a list up to the last returned one. */
const positionAfter = (list: ReadonlyArray<Row>, last: Row | undefined): number =>
  last === undefined ? 0 : list.findIndex((row) => keyOf(row) === keyOf(last)) + 1

const keyOf = (row: Row) => `${row.block.hash} ${row.index} ${row.hash}`

const internalText = (page: Page) =>
  JSON.stringify(
    page.result.map(({ internal_transactions = [] }) =>
      internal_transactions?.map((row) => [
        row["type"],
        row["from"],
        row["to"],
        row["value"],
        row["error"] !== undefined,
      ]),
    ),
  )

/** Request of the pages; only a server reads it. */
const received = HttpServerRequest.fromWeb(new Request("http://localhost/"))

/** Returns a page immediately: a simulated reader has no connection. */
const send: WalletTransactions.Options["send"] = (_, read) =>
  Effect.map(read, ({ headers, write }) => Response.jsonBytes(write().bytes, headers))

/** Reads pages until interrupted. */
export const run = Effect.fnUntraced(function* (setting: Setting): Effect.fn.Return<never, StoreError, Scope.Scope> {
  const { random, count, model } = setting
  const database = yield* Engine.fromUrl(setting.url, "/")
  const chains = [IndexedChain.fromDatabase(database)(chain!)]
  const contracts = ChainContracts.make(database.contracts, decoder)
  const find = ChainRegistry.finderWithDefault(chains)
  const handle = WalletTransactions.make({ config, contracts, decoder, send })

  const requestPage = Effect.fnUntraced(function* (wallet: string, query: string) {
    const text = Object.fromEntries(new URLSearchParams(query))
    const decoded = Result.getOrThrow(RestOperation.decodeQuery(RestOperation.walletTransactions, text))
    const resolved = Result.getOrThrow(OperationRoute.resolve(find, decoded))
    const request = { params: decodePath({ address: wallet }), query: decoded, caller, ...resolved }
    const answered = ErrorResponse.answer(handle(request))
    const response = yield* Effect.provideService(answered, HttpServerRequest.HttpServerRequest, received)
    const body = response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : "null"
    const from = response.headers["daybook-indexed-from"]
    return {
      status: response.status,
      from: from === undefined ? null : Number(from),
      value: JSON.parse(body) as unknown,
    }
  })

  const diverge = (what: string) => Effect.sync(() => setting.onDivergence(new Divergence(what)))

  const jitter = (): Walk => {
    const from = random.is(0.3) ? random.below(20) : undefined
    const to = random.is(0.3) ? (from ?? 0) + random.below(25) : undefined
    const order = random.pick(["ASC", "DESC"] as const)
    return { wallet: random.pick(wallets), order, from, to, include: setting.hasTraces && random.is(0.5) }
  }

  const walk = Effect.fnUntraced(function* (walking: Walk): Effect.fn.Return<number | null> {
    let cursor: string | null = null
    /** States on which the first page may be based, with their lists; each page eliminates some. */
    let candidates: ReadonlyArray<Candidate> = []
    let given = 0
    let last: Row | undefined
    for (;;) {
      const limit = random.between(1, 4)
      const seen = model.versions.length - 1
      const bounds = [
        walking.from === undefined ? "" : `&from_block=${walking.from}`,
        walking.to === undefined ? "" : `&to_block=${walking.to}`,
      ]
      const place: string = cursor === null ? bounds.join("") : `&cursor=${cursor}`
      const include = walking.include ? "&include=internal_transactions" : ""
      const response = yield* requestPage(
        walking.wallet,
        `chain=eth&order=${walking.order}&limit=${limit}${place}${include}`,
      )
      const states = model.versions.slice(seen)
      const where = `page of ${walking.wallet} ${walking.order} after ${given} rows`
      if (response.status === 503) {
        count("a page is not available")
        return null
      }
      if (cursor === null) {
        candidates = states.map((version) => ({ version, list: listOf(version, walking) }))
      }
      const topOf = ({ version }: Candidate) =>
        chainOf(version.head, version.first).findLast(({ number }) => number <= (walking.to ?? Number.MAX_SAFE_INTEGER))
      const isLocal = ({ head }: Version, block: Block | undefined) =>
        block !== undefined && chainOf(head, block.number)[0] === block
      const standing = candidates.filter((candidate) =>
        cursor === null
          ? true
          : states.some((state) => isLocal(state, last?.block) && isLocal(state, topOf(candidate))),
      )
      if (response.status === 409) {
        const { resumeFromBlock } = response.value as { readonly resumeFromBlock: unknown }
        count("a walk goes stale")
        const resume = Number(resumeFromBlock)
        const isRight = candidates.some((candidate) =>
          states.some((state) => {
            if (isLocal(state, last?.block) && isLocal(state, topOf(candidate))) return false
            const [one, other] = [candidate.version.head, state.head]
            const shared = one === null || other === null ? -1 : ancestorOf(one, other).number
            return resume <= shared + 1 || resume <= Math.max(state.first, candidate.version.first)
          }),
        )
        if (!isRight) yield* diverge(`${where} is reported as stale from block ${resume}`)
        return resume
      }
      if (response.status !== 200) {
        yield* diverge(`${where} has the status ${response.status}: ${JSON.stringify(response.value)}`)
        return null
      }
      const page = response.value as Page
      const text = page.result.map((row) => `${row.block_hash} ${row.transaction_index} ${row.hash}`).join()
      // The list of a walk ends at the first block of the index as of the first page, regardless of blocks that are prepended later.
      const beginsAt = ({ first, head }: Version): ReadonlyArray<number | null> => {
        if (head === null) return [null]
        return (walking.from ?? 0) < first ? [first] : states.map((state) => state.first)
      }
      const before = last
      const matchesPage = ({ list, version }: Candidate): boolean => {
        if (!beginsAt(version).includes(response.from)) return false
        const start = positionAfter(list, before)
        const rows = list.slice(start, start + limit)
        const isLast = list.length <= start + limit
        if (rows.map(keyOf).join() !== text || (page.cursor === null) !== isLast) return false
        // The model verifies which traces are gaps.
        const isGap = (at: number) => page.result[at]?.internal_transactions === null
        const internal = rows.map((row, at) => (isGap(at) ? null : row.internal))
        return !walking.include || internalText(page) === JSON.stringify(internal)
      }
      candidates = standing.filter(matchesPage)
      if (candidates.length === 0) {
        candidates = standing.flatMap((candidate) => completed(candidate, states, walking)).filter(matchesPage)
      }
      const [candidate] = candidates
      if (candidate === undefined) {
        yield* diverge(
          `${where} contains ${page.result.length} rows, cursor ${page.cursor}; no state of the store has this page: ${text}`,
        )
        return null
      }
      given += page.result.length
      if (page.result.length > 0) last = candidate.list[positionAfter(candidate.list, before) + page.result.length - 1]
      count("pages read")
      cursor = page.cursor
      if (cursor === null) return null
      yield* Effect.sleep(random.pick([0, 50, 500, 5000]))
    }
  })

  for (;;) {
    yield* Effect.sleep(random.between(200, 4000))
    const drawn = jitter()
    const resume = yield* walk(drawn)
    if (resume !== null && drawn.to === undefined) yield* walk({ ...drawn, order: "ASC", from: resume })
  }
})
