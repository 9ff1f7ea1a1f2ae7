/** Fixtures for tests of the steps of an event stream: a chain, blocks of alice, and changes of the journal. */
import { Effect, Result } from "effect"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import type * as Events from "../../src/push/WalletEvents.ts"
import * as IndexedChain from "../../src/query/IndexedChain.ts"
import * as RecentChanges from "../../src/query/RecentChanges.ts"
import type { ChainReader, Snapshot } from "../../src/store/ChainReader.ts"
import * as Engine from "../../src/store/Engine.ts"
import type * as Journal from "../../src/store/Journal.ts"
import * as Rows from "../server/rows.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as TestStore from "../store/TestStore.ts"
import * as GeneratedChain from "./GeneratedChain.ts"

/** A generated chain, and a count of the reads of its store. */
export const opened = Effect.gen(function* () {
  const generated = GeneratedChain.make()
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const listen = { host: "127.0.0.1", port: 0 }
  const chains = { eth: { rpc: ["http://127.0.0.1:65535/"] } }
  const config = yield* Effect.fromResult(Config.decode({ listen, database: "sqlite:data", chains }))
  const [served] = Result.getOrThrow(ServedChain.fromChains(config.chains))
  const ref = { name: served!.name, id: served!.id }
  const store = yield* TestStore.open(database, ref, { projections: GeneratedChain.projections(generated) })
  const counts = { snapshots: 0, waits: 0 }
  const indexed = IndexedChain.fromDatabase(database)(served!)
  const reader: ChainReader = {
    ...indexed.reader,
    snapshot: (read) => {
      counts.snapshots++
      return indexed.reader.snapshot(read)
    },
    awaitChange: (known) => {
      counts.waits++
      return indexed.reader.awaitChange(known)
    },
  }
  const chain = { ...indexed, reader, recent: RecentChanges.make(reader) }
  return { chain, counts, generated, store }
})

/** Subscription to a wallet. */
export const subscriptionOf = (
  chain: IndexedChain.IndexedChain,
  wallet: string,
  isFinal: boolean,
  types: ReadonlyArray<"wallet.movement" | "wallet.transaction"> = ["wallet.movement", "wallet.transaction"],
): Events.Subscription => ({ chain, wallet, types: new Set(types), selection: {}, isFinal, maxBytes: 100_000 })

/** Blocks 100 to 102 with two transactions of alice each. */
export const blocks = Array.from({ length: 3 }, (_, at) =>
  Rows.block(
    100 + at,
    Array.from({ length: 2 }, () => ({ from: Rows.alice, to: Rows.bob })),
  ),
)

/** A chain in which some reads of a snapshot are replaced. */
export const withReads = (
  chain: IndexedChain.IndexedChain,
  reads: (snapshot: Snapshot) => Partial<Snapshot>,
): IndexedChain.IndexedChain => {
  const snapshot: ChainReader["snapshot"] = (read) =>
    // Sound: the replaced reads have the types of those of the snapshot.
    chain.reader.snapshot((current) => read(Object.assign(Object.create(current) as Snapshot, reads(current))))
  return { ...chain, reader: { ...chain.reader, snapshot } }
}

/** Fields of a journal change; its position follows `after`. */
type Given = Pick<Journal.Change, "kind" | "lowest" | "highest"> & { readonly hash?: string | null }

/** A chain whose journal has changes after a position, without the rows that they would have changed. */
export const withChanges = (
  chain: IndexedChain.IndexedChain,
  after: Journal.Position,
  given: ReadonlyArray<Given>,
): IndexedChain.IndexedChain =>
  withReads(chain, ({ serial }) => ({
    changes: () => {
      const changes = given.map((one, at) => ({ hash: null, serial, mark: 7, change: after.change + 1 + at, ...one }))
      return Effect.succeed({ changes, isLost: false, oldest: 1, newest: changes.at(-1) ?? after })
    },
  }))

/** An event as text, with the next block after it. */
export const textOf = ({ event, position }: Events.PositionedEvent): string => {
  const next = `next ${position.next}`
  switch (event._tag) {
    case "Gap":
      return `gap ${event.gap.from} to ${event.gap.to}: ${event.gap.reason}, ${next}`
    case "Movement":
    case "Transaction":
      return `row ${event.block.number}, ${next}`
    default:
      return `${event._tag.toLowerCase()} ${event.block.number}, ${next}`
  }
}
