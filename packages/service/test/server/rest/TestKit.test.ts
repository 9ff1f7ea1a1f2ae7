/** The fake of the test kit beside the service, on the same chain: each behaviour gives the same responses. */
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { describe, it } from "@effect/vitest"
import * as Block from "@daybook/schema/Block"
import * as Receipt from "@daybook/schema/Receipt"
import type * as FakeChain from "@daybook/testkit/FakeChain"
import * as FakeService from "@daybook/testkit/FakeService"
import * as FakeLedger from "@daybook/testkit/internal/FakeLedger"
import * as FakeRequest from "@daybook/testkit/internal/FakeRequest"
import * as FakeWire from "@daybook/testkit/internal/FakeWire"
import * as Traffic from "@daybook/testkit/internal/Traffic"
import { Effect, Result, Schema } from "effect"
import { expect } from "vitest"
import type { BlockRows } from "../../../src/block/BlockRows.ts"
import * as BlockAssembler from "../../../src/fetch/BlockAssembler.ts"
import * as Holding from "../../../src/ledger/Holding.ts"
import * as LedgerRules from "../../../src/ledger/LedgerRules.ts"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import { frames } from "../../indexer/fixture.ts"
import { type Started, start } from "../service.ts"
import { behaviours, type Behaviour, type Response, type Subject } from "./testKitBehaviours.ts"

const options = { seed: 5, blocks: 120, apiKey: "the-key" }
const decoder = KnownSignatures.decoder()
const ledger = LedgerRules.fromChainId(1)
const quantity = (value: bigint | number) => `0x${value.toString(16)}`

/** The trace of a transaction with the calls inside it. */
const traceOf = ({ calls, from, gas, gasUsed, hash, input, succeeded, to, value }: FakeChain.FakeTransaction) => {
  const { gas: callGas, gasUsed: callGasUsed } = FakeWire.callGas
  const frame = { type: "CALL", input: "0x", output: "0x", gas: quantity(callGas), gasUsed: quantity(callGasUsed) }
  const root = succeeded ? frame : { ...frame, error: "execution reverted" }
  return {
    txHash: hash,
    result: {
      ...root,
      from,
      to,
      input,
      gas: quantity(gas),
      gasUsed: quantity(gasUsed),
      value: quantity(value),
      calls: calls.map((call) => ({ ...frame, ...call, value: quantity(call.value) })),
    },
  }
}

const decodeBlock = Schema.decodeUnknownSync(Block.HydratedBlock)
const decodeReceipts = Schema.decodeUnknownSync(Schema.Array(Receipt.Receipt))

/** The rows that the service makes of a block of the fake. Its hashes are random, so that only its links are verified. */
const rowsOf = (block: FakeChain.FakeBlock): BlockRows =>
  Result.getOrThrow(
    BlockAssembler.assemble(
      {
        // The fake leaves out the transactions of others, whose gas its blocks count.
        block: decodeBlock({
          ...FakeWire.block(block, true, 1),
          gasUsed: quantity(block.transactions.at(-1)?.cumulativeGasUsed ?? 0n),
        }),
        receipts: decodeReceipts(block.transactions.map((one) => FakeWire.receipt(block, one))),
        traces: { _tag: "Frames", traces: frames(block.transactions.map(traceOf)) },
      },
      { decoder, ledger, checks: "links" },
    ),
  )

const tokens = new Map(Traffic.tokens.map(({ address, ...token }) => [address, { ...token, block: 0 }] as const))

/** A fake as a subject. */
const subjectOf = (): { readonly fake: FakeService.FakeService; readonly subject: Subject } => {
  const fake = FakeService.make(options)
  const get: Subject["get"] = async (path, headers) => {
    const response = await fake.fetch(`http://fake.test${path}`, { headers: { "x-api-key": "the-key", ...headers } })
    const text = await response.text()
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === "" ? null : JSON.parse(text),
    }
  }
  const sync = (change: () => void) => () => Promise.resolve(change())
  return {
    fake,
    subject: {
      chain: fake,
      get,
      mine: (blocks) => sync(() => fake.mine(blocks))(),
      reorg: (depth) => sync(() => fake.reorg(depth))(),
      reconcile: sync(() => fake.reconcile()),
    },
  }
}

/** What the wallet of a fake holds or held, and how much before the first block. */
const holdingsOf = (fake: FakeService.FakeService) => {
  const found = new Map<string, { readonly holding: Holding.Holding; readonly amount: bigint }>()
  const add = (holding: Holding.Holding, amount: bigint) => {
    if (!found.has(Holding.keyOf(holding))) found.set(Holding.keyOf(holding), { holding, amount })
  }
  for (const { amount, asset } of Traffic.openings) {
    add(asset === "native" ? Holding.native : { standard: "erc20", asset, tokenId: null }, amount)
  }
  for (const { movements } of FakeLedger.entries(fake.blocks(), fake.wallet)) {
    for (const movement of movements) {
      const of = { ...movement, tokenId: movement.tokenId?.toString() ?? null }
      add(Holding.fromMovement(of), 0n)
    }
  }
  return [...found.values()]
}

/** A service on the blocks of a fake as a subject: the store follows what happens to the fake. */
const serviceOf = Effect.gen(function* () {
  const { fake } = subjectOf()
  const projections = [WalletTransactions.projection, WalletLedger.make(1)]
  const service: Started = yield* start({ chains: { eth: { blocks: fake.blocks().map(rowsOf), projections } } })
  const store = service.stores["eth"]!
  const { database, ref } = store
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
  const finalize = () => store.finalize(FakeRequest.finalized({ ...fake, replacedFrom: () => undefined }))
  const [firstBlock] = fake.blocks()
  const first = { number: firstBlock!.number, parentHash: firstBlock!.parentHash }
  const write = <A, E>(
    use: (writer: Effect.Success<ReturnType<typeof database.chain>["proofs"]>) => Effect.Effect<A, E>,
  ) => Effect.scoped(Effect.flatMap(database.chain(ref).proofs, use))
  yield* finalize()
  yield* write((writer) => writer.writeTokens(first, tokens, 0))

  /** Makes the store follow the fake from the blocks that it had. */
  const follow = async (before: ReadonlyArray<FakeChain.FakeBlock>) => {
    const blocks = fake.blocks()
    const kept = before.findLast((block) => blocks.includes(block))!
    const head = before.at(-1)!
    if (kept !== head) await run(store.unwind(head, kept))
    await run(store.append(kept, blocks.slice(blocks.indexOf(kept) + 1).map(rowsOf)))
    await run(finalize())
  }

  const prove = async () => {
    const holdings = holdingsOf(fake)
    const { hash, number } = fake.blocks().at(-1)!
    const balances = holdings.map(({ amount, holding }) => ({ holding, amount }))
    await run(write((writer) => writer.writeOpenings(first, [{ wallet: fake.wallet, balances }])))
    const owned = FakeLedger.entries(fake.blocks(), fake.wallet)
      .flatMap(({ movements }) => movements)
      .flatMap((one) => Holding.ownedId({ ...one, tokenId: one.tokenId?.toString() ?? null }) ?? [])
    const compared = [...holdings.map(({ holding }) => holding), ...owned].map((holding) => ({
      holding,
      block: number,
      expected: 1n,
      found: 1n,
      firstBlock: null,
    }))
    const proof = { wallet: fake.wallet, first: first.number, block: { hash, number }, provedBlock: number }
    await run(write((writer) => writer.writeProof({ ...proof, holdings: compared, unchecked: [] })))
  }

  const changed = (change: () => void) => async () => {
    const before = fake.blocks()
    change()
    await follow(before)
  }
  const subject: Subject = {
    chain: fake,
    mine: (blocks) => changed(() => fake.mine(blocks))(),
    reorg: (depth) => changed(() => fake.reorg(depth))(),
    reconcile: prove,
    get: async (path, headers) => {
      const { "x-api-key": key = service.key, ...rest } = headers ?? {}
      const { json, ...response } = await run(service.fetch(path, { headers: { "x-api-key": key, ...rest } }))
      return { status: response.status, headers: response.headers, body: json }
    },
  }
  return subject
})

const compared = (response: Response): Response => ({
  ...response,
  headers: Object.fromEntries(Object.entries(response.headers).filter(([name]) => name.startsWith("daybook-"))),
})

const isResponse = (value: unknown): value is Response =>
  typeof value === "object" && value !== null && "headers" in value && "status" in value

/** Replaces what may differ: the texts of cursors and ids of requests, and decoded values, which the fake does not have. */
const normalized = (outcome: unknown): unknown =>
  JSON.parse(
    JSON.stringify(outcome, (key, value: unknown) => {
      if (key === "requestId") return undefined
      if (key === "cursor") return value === null ? null : "a cursor"
      if (key === "decoded_event" || key === "decoded_call") return null
      return isResponse(value) ? compared(value) : value
    }) ?? "null",
  )

const compare = ({ run, title }: Behaviour) =>
  it.live(title, () =>
    Effect.gen(function* () {
      const { subject } = subjectOf()
      const service = yield* serviceOf
      const own = normalized(yield* Effect.promise(() => run(subject)))
      const expected = normalized(yield* Effect.promise(() => run(service)))

      expect(own).toEqual(expected)
    }).pipe(Effect.scoped),
  )

describe("test kit: a fake answers as the service", () => {
  for (const behaviour of behaviours) compare(behaviour)

  it("each behaviour has a title of its own", () => {
    const titles = behaviours.map(({ title }) => title)

    expect(titles.length).toBe(new Set(titles).size)
    expect(titles.length).toBeGreaterThan(100)
  })
})
