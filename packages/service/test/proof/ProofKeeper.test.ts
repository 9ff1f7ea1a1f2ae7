import * as Eventually from "@daybook/harness/Eventually"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Logger, Result } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { StateUnavailable } from "../../src/node/CallsError.ts"
import type { Node } from "../../src/node/Node.ts"
import * as Holding from "../../src/ledger/Holding.ts"
import * as LedgerBooks from "../../src/proof/LedgerBooks.ts"
import { NotIndexed } from "../../src/proof/LedgerScope.ts"
import * as OpeningReader from "../../src/proof/OpeningReader.ts"
import * as ProofKeeper from "../../src/proof/ProofKeeper.ts"
import type { WatchedProofs } from "../../src/proof/WatchedProofs.ts"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import type { ChainStore } from "../../src/store/Database.ts"
import * as Engine from "../../src/store/Engine.ts"
import { StoreError } from "../../src/store/StoreError.ts"
import * as Ledgers from "../server/rest/ledgers.ts"
import * as Rows from "../server/rows.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as TestStore from "../store/TestStore.ts"

const busy = new StoreError({ message: "The database is busy.", isRetryable: true, cause: null })

/** An index from block 0, in which 3 moved to Alice, and 9 in the next block. */
const movedInFirst = Effect.gen(function* () {
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const moved = { 0: { 0: [{ amount: 5n }, { amount: -2n }] }, 1: { 0: [{ amount: 9n }] } }
  const { blocks, projections } = Ledgers.chainOf(moved, 1)
  const chain = yield* TestStore.open(database, { name: "eth", id: 1 }, { projections })
  yield* chain.append(null, blocks)
  return { blocks, chain, database }
})

describe("OpeningReader", () => {
  it.effect("wantedOf: includes what moved in block 0, by the books of an index that begins there", () =>
    Effect.gen(function* () {
      const { chain } = yield* movedInFirst
      const books = yield* LedgerBooks.read(chain, Rows.alice, 0, 0)
      const movedWith = (of: typeof books | null) =>
        OpeningReader.wantedOf(Rows.alice, [Holding.native, Holding.nonce], of)

      expect(movedWith(books)).toMatchObject([
        { wallet: Rows.alice, holding: Holding.native, movedInFirst: 3n },
        { wallet: Rows.alice, holding: Holding.nonce },
      ])
      expect(movedWith(null).map(({ movedInFirst }) => movedInFirst)).toEqual([0n, 0n])
    }).pipe(Effect.scoped),
  )

  it.effect("read: subtracts what moved in block 0 from the balance at its end, and nothing at a later block", () =>
    Effect.gen(function* () {
      const blocks: Array<unknown> = []
      const batch: Node["batch"] = (calls) => {
        for (const { params } of calls) blocks.push(params?.[1])
        return Effect.succeed(calls.map(() => Result.succeed(10n)))
      }
      // Sound: only calls are made.
      const node = { batch } as Partial<Node> as Node
      const budgeted = { node, usage: () => ({ requests: 0, calls: 0, byMethod: [] }), maxCalls: 10 }
      const wanted = [{ wallet: Rows.alice, holding: Holding.native, movedInFirst: 3n }]

      expect(yield* OpeningReader.read(budgeted, 0, wanted)).toEqual([7n])
      expect(yield* OpeningReader.read(budgeted, 6, wanted)).toEqual([10n])
      expect(blocks).toEqual([0, 5])
    }),
  )
})

/** Log lines of a keeper in ten minutes. */
const loggedOf = Effect.fnUntraced(function* (store: ChainStore, watch: ProofKeeper.Options["watch"]) {
  const logged: Array<string> = []
  const fiber = yield* ProofKeeper.run({
    chain: "eth",
    // Sound: no turn gets as far as a call.
    node: {} as Node,
    store,
    watch,
    callsPerMinute: 600,
    isIdle: () => true,
  }).pipe(
    Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])),
    Effect.forkScoped,
  )
  yield* TestClock.adjust("10 minutes")
  yield* Fiber.interrupt(fiber)
  return logged
})

describe("ProofKeeper", () => {
  it.effect("run: opens a busy store again, and logs the reason once", () =>
    Effect.gen(function* () {
      let [opened, turns] = [0, 0]
      // Sound: the turn ends before it reads the chain or calls the node.
      const store = {
        reader: {},
        proofs: Effect.suspend(() => (++opened <= 3 ? Effect.fail(busy) : Effect.succeed({}))),
      } as unknown as ChainStore
      const watch = Effect.suspend(() => {
        turns += 1
        return Effect.fail(busy)
      })
      const logged = yield* loggedOf(store, watch)

      expect(opened).toBe(4)
      expect(turns).toBeGreaterThan(0)
      expect(logged).toEqual(["Opening balances and proofs are not up to date: The database is busy."])
    }),
  )

  it.effect("run: continues after a read that throws, and logs the reason once", () =>
    Effect.gen(function* () {
      let turns = 0
      const watch = Effect.suspend(() => {
        turns += 1
        return Effect.die(new TypeError("tokens is not iterable"))
      })
      // Sound: the turn ends before it reads the chain or calls the node.
      const store = { reader: {}, proofs: Effect.succeed({}) } as unknown as ChainStore
      const logged = yield* loggedOf(store, watch)

      expect(turns).toBeGreaterThan(1)
      expect(logged).toEqual(["Opening balances and proofs are not up to date: tokens is not iterable"])
    }),
  )

  it.effect.each(["the index ends before them", "blocks were added below its first one"] as const)(
    "run: adopts stored comparisons, reads them once, and forgets them once %s",
    (change) =>
      Effect.gen(function* () {
        const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
        const { blocks, projections } = Ledgers.chainOf({ 1: { 0: [{ amount: 5n }] } }, 4)
        const chain = yield* TestStore.open(database, { name: "eth", id: 1 }, { projections })
        yield* chain.append(null, blocks.slice(1))
        const { proofs, reader } = database.chain(chain.ref)
        const writer = yield* proofs
        const compared = { first: 1, block: { number: 4, hash: blocks[4]!.hash }, holdings: [] }
        yield* writer.writeProof({ ...compared, wallet: Rows.alice, provedBlock: 4, unchecked: [] })
        yield* writer.writeProof({ ...compared, wallet: Rows.bob, provedBlock: 2, unchecked: ["a token"] })
        const [read, seen] = [new Array<string>(), new Array<WatchedProofs>()]
        const snapshot: ChainReader["snapshot"] = (use) =>
          reader.snapshot((one) =>
            use({
              ...one,
              proof: (wallet) => {
                read.push(wallet)
                return one.proof(wallet)
              },
            }),
          )
        let isIdle = true
        const store = { ...database.chain(chain.ref), reader: { ...reader, snapshot } }
        const watched = new Set([Rows.alice, Rows.bob])
        yield* ProofKeeper.run({
          chain: "eth",
          // Sound: nothing is compared again, and openings wait.
          node: {} as Node,
          store,
          watch: Effect.succeed(watched),
          callsPerMinute: 600,
          isToHead: true,
          isIdle: () => isIdle,
          onWallets: (wallets) => {
            seen.push(wallets)
            isIdle = false
          },
        }).pipe(Effect.forkScoped)
        const turn = Effect.gen(function* () {
          const { length } = seen
          isIdle = true
          yield* Eventually.untilEffect(
            Effect.map(TestClock.adjust("1 second"), () => seen.length > length),
            { everyMillis: 1 },
          )
        })
        yield* turn
        yield* turn
        const known = { proved: 1, different: 0, unchecked: 1, pending: 0, oldestProvedBlock: 2 }

        expect(seen).toEqual([known, known])
        expect(read).toEqual([...watched])
        if (change === "the index ends before them") yield* chain.unwind(blocks[4]!, blocks[3]!)
        else yield* chain.prepend(blocks[1]!, [blocks[0]!])
        yield* turn
        // The first one is compared again, which this node cannot do.
        expect(read).toEqual([...watched, Rows.alice])
        expect(seen.at(-1)).toMatchObject({ pending: 2, oldestProvedBlock: null })
      }).pipe(Effect.scoped),
  )

  it.effect("run: stores openings of an index from block 0 without what moved in it", () =>
    Effect.gen(function* () {
      const { blocks, chain, database } = yield* movedInFirst
      const store = database.chain(chain.ref)
      const header: Node["header"] = () => Effect.succeed({ ...blocks[0]!, timestamp: 0 })
      const batch: Node["batch"] = (calls) => Effect.succeed(calls.map(() => Result.succeed(10n)))
      // Sound: only headers and balances are read.
      const node = { header, batch } as Partial<Node> as Node
      const options = { chain: "eth", node, store, watch: Effect.succeed(null), callsPerMinute: 600 }
      yield* ProofKeeper.run({ ...options, isToHead: true, isIdle: () => true }).pipe(Effect.forkScoped)
      const openings = Effect.map(
        store.reader.snapshot((snapshot) => snapshot.openings(Rows.alice)),
        ({ balances }) => balances,
      )
      yield* Eventually.untilEffect(
        Effect.andThen(
          TestClock.adjust("1 second"),
          Effect.map(openings, (found) => found.length > 0),
        ),
        { everyMillis: 1 },
      )

      expect(yield* openings).toEqual([{ holding: Holding.native, amount: 10n - 3n }])
    }).pipe(Effect.scoped),
  )

  it.effect.each([
    ["after a second if nothing is indexed", new NotIndexed({ chain: "eth", derived: null, block: null }), 61],
    [
      "after a second if the node has no state",
      new StateUnavailable({ host: "node", method: "eth_call", block: 1, reason: "pruned", firstBlock: null }),
      61,
    ],
    // After 5, 10 and 20 seconds.
    ["less and less often if the store fails", busy, 4],
  ] as const)("run: retries %s", ([, failure, expected]) =>
    Effect.gen(function* () {
      let turns = 0
      // Sound: the loop does not see which part of a turn fails.
      const watch = Effect.suspend(() => {
        turns += 1
        return Effect.fail(failure)
      }) as unknown as Effect.Effect<null, StoreError>
      const store = { reader: {}, proofs: Effect.succeed({}) } as unknown as ChainStore
      const options = { chain: "eth", node: {} as Node, store, watch, callsPerMinute: 600, isIdle: () => true }
      const fiber = yield* ProofKeeper.run(options).pipe(Effect.provide(Logger.layer([])), Effect.forkScoped)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(fiber)

      expect(turns).toBe(expected)
    }),
  )
})

/** What a keeper finds in an index of the blocks 1 and 2. */
interface Reads {
  readonly what: "tokens" | "openings"
  /** Blocks of each examination: the first one, and the first one after them. */
  readonly ranges: ReadonlyArray<readonly [from: number, next: number]>
  /** Whether they have tokens or holdings. */
  readonly areFound: boolean
  /** Whether the index still begins with the same block when these are written. Default true. */
  readonly isKept?: boolean
  /** Hashes of the blocks 0 to 2 at the node. Default: those of the index. */
  readonly hash?: string
}

/** Runs a keeper for five seconds, each of whose examinations takes 100 ms. */
const reading = Effect.fnUntraced(function* ({ areFound, hash, isKept = true, ranges, what }: Reads) {
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const { blocks, projections } = Ledgers.chainOf({ 1: { 0: [{ amount: 5n }] } }, 2)
  const chain = yield* TestStore.open(database, { name: "eth", id: 1 }, { projections })
  yield* chain.append(null, blocks.slice(1))
  const store = database.chain(chain.ref)
  const examined = { tokens: new Array<number>(), openings: new Array<number>() }
  const [written, logged, headers] = [new Array<unknown>(), new Array<string>(), new Array<number>()]
  const examine = Effect.fnUntraced(function* (kind: Reads["what"]) {
    const [from, next] = kind === what ? ranges[Math.min(examined[kind].length, ranges.length - 1)]! : [3, 3]
    examined[kind].push(yield* Clock.currentTimeMillis)
    if (kind === what) yield* Effect.sleep("100 millis")
    return { from, next, isFound: kind === what && areFound }
  })
  const { snapshot } = store.reader
  const reader: ChainReader = {
    ...store.reader,
    snapshot: (use) =>
      snapshot((one) =>
        use({
          ...one,
          unreadOpenings: () =>
            Effect.map(examine("openings"), ({ isFound, next }) => ({
              holdings: isFound ? [{ wallet: Rows.alice, holding: Holding.native }] : [],
              next,
            })),
          unreadTokens: () =>
            Effect.map(examine("tokens"), ({ from, isFound, next }) => ({
              tokens: isFound ? [Rows.contract] : [],
              from,
              next,
            })),
        }),
      ),
  }
  const write = (kind: Reads["what"], count: number, next: number) =>
    Effect.sync(() => {
      if (kind === what) written.push([count, next])
      return kind === what ? isKept : true
    })
  const proofs = {
    writeOpenings: (_: unknown, found: ReadonlyArray<unknown>, next: number) => write("openings", found.length, next),
    writeTokens: (_: unknown, found: ReadonlyMap<string, unknown>, next: number) => write("tokens", found.size, next),
  }
  const node: Pick<Node, "header" | "batch"> = {
    header: (number) => {
      headers.push(Number(number))
      return Effect.succeed({ ...blocks[Number(number)]!, hash: hash ?? blocks[Number(number)]!.hash, timestamp: 0 })
    },
    batch: (calls) => Effect.succeed(calls.map(() => Result.succeed(what === "tokens" ? `0x${"0".repeat(64)}` : 7n))),
  }
  const fiber = yield* ProofKeeper.run({
    chain: "eth",
    // Sound: only headers, tokens and balances are read, and tokens and openings written.
    node: node as Node,
    store: { ...store, reader, proofs: Effect.succeed(proofs) } as unknown as ChainStore,
    watch: Effect.succeed(null),
    callsPerMinute: Infinity,
    isToHead: true,
    isIdle: () => true,
  }).pipe(
    Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])),
    Effect.forkScoped,
  )
  for (let step = 0; step < 500; step++) yield* TestClock.adjust("10 millis")
  yield* Fiber.interrupt(fiber)
  return { examined, written, logged, headers }
})

describe("ProofKeeper: unread blocks", () => {
  const another = Rows.hashOf("another")
  const everySecond = [0, 1_100, 2_200, 3_300, 4_400]
  const oneByOne: Reads["ranges"] = [
    [1, 2],
    [2, 3],
    [3, 3],
  ]

  it.effect.each<
    readonly [string, Reads, examined: ReadonlyArray<number>, written: ReadonlyArray<unknown>, lines?: number]
  >([
    [
      "tokens: examines again after a second if no block is left",
      { what: "tokens", ranges: [[3, 3]], areFound: false },
      everySecond,
      [],
    ],
    [
      "tokens: examines the next blocks at once if the last ones had some, up to the last block",
      { what: "tokens", ranges: oneByOne, areFound: true },
      [0, 100, 1_200, 2_300, 3_400, 4_500],
      [
        [1, 2],
        [1, 3],
      ],
    ],
    [
      "tokens: pauses for nine times as long as blocks without any took",
      { what: "tokens", ranges: oneByOne, areFound: false },
      [0, 1_000, 3_000, 4_100],
      [
        [0, 2],
        [0, 3],
      ],
    ],
    [
      "tokens: begins again after a second if the index begins with another block",
      { what: "tokens", ranges: [[1, 2]], areFound: true, isKept: false },
      everySecond,
      everySecond.map(() => [1, 2]),
    ],
    ["tokens: rests after a failure", { what: "tokens", ranges: [[1, 2]], areFound: true, hash: another }, [0], [], 1],
    [
      "openings: examines the next blocks at once if the last ones had some, up to the last block",
      { what: "openings", ranges: oneByOne, areFound: true },
      [0, 100, 1_200, 2_300, 3_400, 4_500],
      [
        [1, 2],
        [1, 3],
      ],
    ],
    [
      "openings: pauses for nine times as long as blocks without any took, and requests no header",
      { what: "openings", ranges: oneByOne, areFound: false, hash: another },
      [0, 1_000, 3_000, 5_000],
      [
        [0, 2],
        [0, 3],
        [0, 3],
      ],
    ],
    [
      "openings: begins again after a second if the index begins with another block",
      { what: "openings", ranges: [[1, 2]], areFound: true, isKept: false },
      everySecond,
      everySecond.map(() => [1, 2]),
    ],
    [
      "openings: writes none of a node on which another block precedes the first one",
      { what: "openings", ranges: [[1, 2]], areFound: true, hash: another },
      everySecond,
      [],
    ],
  ])("run: %s", ([, reads, examined, written, lines = 0]) =>
    Effect.gen(function* () {
      const found = yield* reading(reads)
      const other = reads.what === "tokens" ? "openings" : "tokens"

      expect(found.examined[reads.what]).toEqual(examined)
      expect(found.written.slice(0, written.length)).toEqual(written)
      expect(found.written.length === 0).toBe(written.length === 0)
      // Each turn ends.
      expect(found.examined[other].length).toBeLessThanOrEqual(8)
      expect(found.logged).toHaveLength(lines)
      if (!reads.areFound) expect(found.headers).toEqual([])
    }).pipe(Effect.scoped),
  )
})
