/** The fake of the test kit and the service on the same chain: each behaviour has the same responses. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { describe, it, layer } from "@effect/vitest"
import * as Block from "@daybook/schema/Block"
import * as Receipt from "@daybook/schema/Receipt"
import type * as FakeChain from "@daybook/testkit/FakeChain"
import * as FakeService from "@daybook/testkit/FakeService"
import * as FakeLedger from "@daybook/testkit/internal/FakeLedger"
import * as FakeWire from "@daybook/testkit/internal/FakeWire"
import * as Traffic from "@daybook/testkit/internal/Traffic"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { expect } from "vitest"
import type { BlockRows } from "../../../src/block/BlockRows.ts"
import * as BlockAssembler from "../../../src/fetch/BlockAssembler.ts"
import * as Holding from "../../../src/ledger/Holding.ts"
import * as LedgerRules from "../../../src/ledger/LedgerRules.ts"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import { frames } from "../../indexer/fixture.ts"
import * as SigningKey from "../../../src/signed/SigningKey.ts"
import * as StatementFile from "../../../src/signed/StatementFile.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import { type Json, type Started, start } from "../service.ts"
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

/** The service's rows for a block of the fake. Its hashes are random, so only its links are verified. */
const rowsOf = (block: FakeChain.FakeBlock): BlockRows =>
  Result.getOrThrow(
    BlockAssembler.assemble(
      {
        // The fake omits other wallets' transactions, whose gas its blocks count.
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

/** The rows of the initial blocks of every fake with the options. */
let begun: ReadonlyArray<BlockRows> | undefined

const tokens = new Map(Traffic.tokens.map(({ address, ...token }) => [address, { ...token, block: 0 }] as const))

/** The events of a response up to the first that states how far everything was sent. */
const eventsOf = async (response: globalThis.Response): Promise<ReadonlyArray<Json>> => {
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"])
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  for (;;) {
    const { done, value = "" } = await reader.read()
    text += value
    const whole = text.slice(0, text.lastIndexOf("\n\n") + 1)
    if (!done && !whole.includes("event: covered")) continue
    await reader.cancel()
    return [...whole.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!))
  }
}

const listeningHeaders = (key: string, lastEventId: string | undefined): Record<string, string> =>
  lastEventId === undefined ? { "x-api-key": key } : { "x-api-key": key, "last-event-id": lastEventId }

/** The body of a response. A signed statement must be one that a third party accepts. */
const bodyOf = (path: string, status: number, text: string): Json => {
  if (text === "") return null
  if (status === 200 && path.includes("/signed")) Result.getOrThrow(StatementFile.read(text))
  return JSON.parse(text)
}

/** A fake as a subject. */
const subjectOf = (): { readonly fake: FakeService.FakeService; readonly subject: Subject } => {
  const fake = FakeService.make(options)
  const get: Subject["get"] = async (path, headers, method = "GET") => {
    const given = { "x-api-key": "the-key", ...headers }
    const response = await fake.fetch(`http://fake.test${path}`, { method, headers: given })
    const text = await response.text()
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: bodyOf(path, response.status, text),
    }
  }
  const sync = (change: () => void) => () => Promise.resolve(change())
  return {
    fake,
    subject: {
      chain: fake,
      get,
      listen: async (path, lastEventId) => {
        const headers = listeningHeaders("the-key", lastEventId)
        return eventsOf(await fake.fetch(`http://fake.test${path}`, { headers }))
      },
      mine: (blocks) => sync(() => fake.mine(blocks))(),
      reorg: (depth) => sync(() => fake.reorg(depth))(),
      reconcile: sync(() => fake.reconcile()),
    },
  }
}

/** Current or previous holdings of a fake's wallet, and the amount before the first block. */
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

/** A port on which the node of a fake listens. */
const nodeOf = (fake: FakeService.FakeService) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { apiKey, chain, rpcUrl } = fake.rpc
            const init = { method: "POST", body: Buffer.concat(chunks) }
            void fake.fetch(`${rpcUrl}/${chain}/${apiKey}`, init).then(async (reply) => {
              response.setHeader("content-type", "application/json")
              response.end(await reply.text())
            })
          })
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return server
      }),
      (server) =>
        Effect.promise(async () => {
          server.closeAllConnections()
          await new Promise((resolve) => server.close(resolve))
        }),
    ),
    // Sound: a listening TCP server has an address.
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )

/** A service on the blocks of a fake as a subject: the store follows the changes of the fake. */
const serviceOf = Effect.gen(function* () {
  const { fake } = subjectOf()
  const projections = [WalletTransactions.projection, WalletLedger.make(1)]
  begun ??= fake.blocks().map(rowsOf)
  const signingKey = join(yield* temporaryFolder, "signing-key.pem")
  yield* SigningKey.create(signingKey)
  const service: Started = yield* start({
    config: { signingKey },
    chains: { eth: { config: { rpc: [yield* nodeOf(fake)] }, blocks: begun, projections } },
  })
  const prover = yield* service.addKey({ name: "prover", options: { operations: ["proveWallet"] } })
  const store = service.stores["eth"]!
  const { database, ref } = store
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
  // A block is final once 63 blocks are above it.
  const finalize = () => store.finalize((fake.blocks().at(-64) ?? fake.blocks()[0]!).number)
  const [firstBlock] = fake.blocks()
  const first = { number: firstBlock!.number, parentHash: firstBlock!.parentHash }
  const write = <A, E>(
    use: (writer: Effect.Success<ReturnType<typeof database.chain>["proofs"]>) => Effect.Effect<A, E>,
  ) => Effect.scoped(Effect.flatMap(database.chain(ref).proofs, use))
  yield* finalize()
  yield* write((writer) => writer.writeTokens(first, tokens, 0))

  /** Makes the store follow the fake from the previous blocks. */
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
    const sent = BigInt(
      FakeLedger.entries(fake.blocks(), fake.wallet).filter(({ roles }) => roles.includes("sender")).length,
    )
    const compared = [...holdings.map(({ holding }) => holding), ...owned, Holding.nonce].map((holding) => ({
      holding,
      block: number,
      expected: holding === Holding.nonce ? sent : 1n,
      found: holding === Holding.nonce ? sent : 1n,
      firstBlock: null,
      isByStateRoot: holding === Holding.nonce || holding === Holding.native,
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
    get: async (path, headers, method = "GET") => {
      const { "x-api-key": key = method === "PUT" ? prover : service.key, ...rest } = headers ?? {}
      const sent = { method, headers: { "x-api-key": key, ...rest } }
      const { status, text, ...response } = await run(service.fetch(path, sent))
      return { status, headers: response.headers, body: bodyOf(path, status, text) }
    },
    listen: async (path, lastEventId) => {
      const headers = listeningHeaders(service.key, lastEventId)
      return eventsOf(await fetch(`${service.url}${path}`, { headers }))
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

const byAsset = (one: Json, other: Json): number =>
  JSON.stringify([one.asset, one.token_id, one.kind]) < JSON.stringify([other.asset, other.token_id, other.kind])
    ? -1
    : 1

/**
 * Fields that differ per file: time, program, key, and the order in which a database has openings, with the digest over
 * them.
 */
const withoutOrigin = ({ header, statements, ...rest }: Json): Json => ({
  ...rest,
  signature: null,
  header: { ...header, made_at: null, made_by: null, wallets: header.wallets.map(({ address }: Json) => address) },
  statements: statements.map(({ closing, opening, sums, ...part }: Json) => ({
    ...part,
    opening: opening.toSorted(byAsset),
    closing: closing.toSorted(byAsset),
    sums: sums.toSorted(byAsset),
  })),
})

/**
 * Replaces what may differ: the texts of cursors, ids of requests, times of events and their revisions, calls to nodes
 * so far, and decoded values, which the fake does not have. The node of the fake has no proofs.
 */
const normalized = (outcome: unknown, isByNode: boolean): unknown =>
  JSON.parse(
    JSON.stringify(outcome, (key, value: unknown) => {
      if (["requestId", "timestamp", "revision", "calls"].includes(key)) return undefined
      if (key === "by_state_root" && isByNode) return undefined
      if (typeof value === "object" && value !== null && "statements" in value) return withoutOrigin(value)
      if (key === "cursor") return value === null ? null : "a cursor"
      if (key === "decoded_event" || key === "decoded_call") return null
      return isResponse(value) ? compared(value) : value
    }) ?? "null",
  )

class Unchanged extends Context.Service<Unchanged, Subject>()("test/Unchanged") {}

/** One service for every behaviour that changes nothing. */
const unchanged = Layer.effect(Unchanged, serviceOf)

/** A fake as a subject that records whether it was asked to change. */
const observed = (): { readonly subject: Subject; readonly isChanged: () => boolean } => {
  const { subject } = subjectOf()
  let isChanged = false
  const changing = (): Subject => {
    isChanged = true
    return subject
  }
  return {
    isChanged: () => isChanged,
    subject: {
      ...subject,
      get: (path, headers, method) => (method === undefined ? subject : changing()).get(path, headers, method),
      mine: (blocks) => changing().mine(blocks),
      reconcile: () => changing().reconcile(),
      reorg: (depth) => changing().reorg(depth),
    },
  }
}

/** Runs a behaviour on the fake and on the service. */
const compare = ({ run, title }: Behaviour) =>
  Effect.gen(function* () {
    const { isChanged, subject } = observed()
    const own = normalized(yield* Effect.promise(() => run(subject)), title.startsWith("proof:"))
    const service = isChanged() ? yield* serviceOf : yield* Unchanged
    const expected = normalized(yield* Effect.promise(() => run(service)), title.startsWith("proof:"))

    expect(own).toEqual(expected)
  }).pipe(Effect.scoped)

layer(unchanged, { excludeTestServices: true })("test kit: a fake responds as the service does", (it) => {
  for (const behaviour of behaviours) it.effect(behaviour.title, () => compare(behaviour))
})

/** The service has all wallets, so an empty list of a fake would hide a wrong address. */
describe("test kit: a fake without a wallet", () => {
  const nowhere = `0x${"12".repeat(20)}`

  it.each([
    ["verbose", "GET"],
    ["movements", "GET"],
    ["user_operations", "GET"],
    ["balances", "GET"],
    ["statement", "GET"],
    ["events", "GET"],
    ["proof", "PUT"],
  ])("%s: rejects a wallet that is not on its chain", async (operation, method) => {
    const { subject } = subjectOf()
    const { body, status } = await subject.get(`/api/v2.2/${nowhere}/${operation}`, {}, method)

    expect([status, body.code, body.parameter]).toEqual([400, "address_not_watched", "address"])
  })
})

describe("test kit: the behaviours", () => {
  it("each behaviour has a unique title", () => {
    const titles = behaviours.map(({ title }) => title)

    expect(titles.length).toBe(new Set(titles).size)
    expect(titles.length).toBeGreaterThan(100)
  })
})
