/**
 * An indexer passes forks while it runs. The blocks are synthetic: no recording of these forks is in the repository.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger, References } from "effect"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Node from "../../src/node/Node.ts"
import { Engine } from "../../src/store/Engine.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"
import { decoder, openStore } from "./chain.ts"
import * as fixture from "./fixture.ts"
import * as forged from "./forgedChain.ts"
import * as ScriptedFetch from "./ScriptedFetch.ts"

const sepolia = 11_155_111

/** Responses of a node whose head can be moved. */
const nodeOf = (blocks: ReadonlyArray<forged.Forged>, chainId: number) => {
  const node = { head: blocks.length - 1 }
  const blockAt = (asked: unknown, hydrated: unknown) => {
    const number = asked === "latest" ? node.head : asked === "finalized" ? 0 : Number(asked)
    const found = number > node.head ? undefined : blocks[number]?.block
    if (found === undefined || hydrated === true) return found ?? null
    const transactions = found["transactions"] as ReadonlyArray<{ readonly hash: string }>
    return { ...found, transactions: transactions.map(({ hash }) => hash) }
  }
  const answer: ScriptedFetch.Handler = (method, [first, second]) => {
    switch (method) {
      case "eth_chainId":
        return { result: forged.hex(chainId) }
      case "eth_getBlockByNumber":
        return { result: blockAt(first, second) }
      case "eth_getBlockReceipts":
        return { result: blocks.find(({ block }) => block["hash"] === first)?.receipts ?? null }
      default:
        return { error: { code: -32601, message: "the method does not exist" } }
    }
  }
  return Object.assign(node, { answer })
}

const run = Effect.fnUntraced(function* (answer: ScriptedFetch.Handler, chainId: number) {
  const scripted = ScriptedFetch.make(answer)
  const store = yield* openStore
  const { fetch } = scripted
  const node = yield* Node.make({ urls: ["http://node.example:8545"], chainId, fetch, traces: "off" })
  const lines: Array<string> = []
  const logger = Logger.make(({ fiber, message }) => {
    lines.push(`${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
  })
  const fiber = yield* ChainIndexer.run(node, {
    chain: store.ref.name,
    chainId: store.ref.id,
    owner: "me",
    decoder,
    checks: "full",
    pollMillis: 1e3,
    rules: HashRules.ofChain(chainId) ?? "detect",
  }).pipe(
    Effect.provideService(Engine, store.database),
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(References.MinimumLogLevel, "Info"),
    Effect.forkScoped,
  )
  const stored = Effect.map(store.headers(0, 10_000), (headers) => headers.map(({ hash }) => hash))
  return { scripted, store, lines, stored, stop: Fiber.interrupt(fiber) }
})

const hashesOf = (blocks: ReadonlyArray<forged.Forged>) => blocks.map(({ block }) => block["hash"])

describe("ChainIndexer and forks", () => {
  it.effect("run: passes the Amsterdam fork on sepolia at full verification (synthetic)", () =>
    Effect.gen(function* () {
      const fork = 12
      const burn = { address: `0x${"f".repeat(39)}e`, data: "0x01" }
      const osaka = {
        withdrawalsRoot: TrieRoot.empty,
        blobGasUsed: "0x0",
        excessBlobGas: "0x0",
        parentBeaconBlockRoot: fixture.hash("2"),
        requestsHash: fixture.hash("3"),
      }
      const amsterdamFields = { blockAccessListHash: fixture.hash("4") }
      const amsterdam = (number: number): forged.Change => ({
        header: number < fork ? osaka : { ...osaka, ...amsterdamFields, slotNumber: forged.hex(9e3 + number) },
        logs: number < fork ? [] : [burn],
      })
      const blocks = forged.chainOf(24, amsterdam)
      const node = nodeOf(blocks, sepolia)
      node.head = fork - 2
      const { lines, scripted, stop, stored, store } = yield* run(node.answer, sepolia)
      yield* ScriptedFetch.advance(scripted, 3)
      expect(yield* stored).toEqual(hashesOf(blocks.slice(0, fork - 1)))
      for (let head = fork - 1; head < blocks.length; head++) {
        node.head = head
        yield* ScriptedFetch.advance(scripted, 2)
      }
      const status = yield* store.readStatus
      yield* stop

      expect(yield* stored).toEqual(hashesOf(blocks))
      expect(status).toMatchObject({ state: "synced" })
      expect(status?.unchecked).toBe(undefined)
      expect(lines.filter((line) => line.includes("could not be verified"))).toEqual([])
    }),
  )

  it.effect("run: passes a fork with unknown header fields, and reports them (synthetic)", () =>
    Effect.gen(function* () {
      const fork = 12
      const other = (hash: string) => `0x${hash.slice(2).split("").toReversed().join("")}`
      const blocks = forged.chainOf(20, (number) =>
        number < fork ? {} : { header: { forkRoot: fixture.hash("7") }, hash: other },
      )
      const { lines, scripted, stop, stored } = yield* run(nodeOf(blocks, sepolia).answer, sepolia)
      yield* ScriptedFetch.advance(scripted, 5)
      yield* stop

      expect(yield* stored).toEqual(hashesOf(blocks))
      expect(lines.filter((line) => line.includes('"detail":"forkRoot"')).length).toBe(1)
    }),
  )

  it.effect("run: detects the rules of an unlisted chain again if they reject a block (synthetic)", () =>
    Effect.gen(function* () {
      const [first, last] = [60, 70]
      const blocks = forged.chainOf(200, (number) =>
        number >= first && number < last
          ? { hash: (hash) => `0x${hash.slice(2).split("").toReversed().join("")}` }
          : {},
      )
      const { lines, scripted, stop, store, stored } = yield* run(nodeOf(blocks, 31_337).answer, 31_337)
      yield* ScriptedFetch.advance(scripted, 60)
      const status = yield* store.readStatus
      yield* stop

      expect(yield* stored).toEqual(hashesOf(blocks))
      expect(status).toMatchObject({
        state: "synced",
        unchecked: expect.stringMatching(/^header hashes before block \d+$/),
      })
      expect(lines.filter((line) => line.includes("Detected the hash rules")).length).toBeGreaterThan(0)
    }),
  )

  it.effect.each([31_337, sepolia])(
    "run: accepts a wrong bloom with a correct receipts root as a gap, without detecting the rules again: chain %s (synthetic)",
    (chainId) =>
      Effect.gen(function* () {
        const blocks = forged.chainOf(100, (number) => (number === 60 ? { bloom: () => `0x${"0".repeat(512)}` } : {}))
        const { lines, scripted, stop, store, stored } = yield* run(nodeOf(blocks, chainId).answer, chainId)
        yield* ScriptedFetch.advance(scripted, 20)
        const status = yield* store.readStatus
        const gaps = yield* store.gaps({ from: 0, to: 100, limit: 10 })
        yield* stop

        expect(yield* stored).toEqual(hashesOf(blocks))
        expect(status).toMatchObject({ state: "synced" })
        expect(status?.unchecked).toBe(undefined)
        expect(gaps).toEqual([
          { block: 60, kind: "check", reason: "blooms: the bloom of the block does not match its logs" },
        ])
        expect(lines.filter((line) => line.includes("Detected the hash rules"))).toEqual([])
        expect(lines.filter((line) => line.includes('"deviation":"blooms"')).length).toBe(1)
      }),
  )

  it.effect("run: never stores a block of a listed chain whose header hash does not match", () =>
    Effect.gen(function* () {
      const blocks = forged.chainOf(20, (number) => (number === 12 ? { hash: () => fixture.hash("e") } : {}))
      const { scripted, stop, stored, store } = yield* run(nodeOf(blocks, sepolia).answer, sepolia)
      yield* ScriptedFetch.advance(scripted, 300)
      const status = yield* store.readStatus
      yield* stop

      expect(yield* stored).toEqual(hashesOf(blocks.slice(0, 12)))
      expect(status?.message).toContain("header hash: expected")
    }),
  )
})
