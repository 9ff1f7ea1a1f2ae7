import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import * as Holding from "../../src/ledger/Holding.ts"
import * as IndexedChain from "../../src/query/IndexedChain.ts"
import * as IndexedStatement from "../../src/signed/IndexedStatement.ts"
import * as Engine from "../../src/store/Engine.ts"
import { chainOf, type Ledger, token } from "../server/rest/ledgers.ts"
import * as Rows from "../server/rows.ts"
import * as TestStore from "../store/TestStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** A store with the ledgers of alice, whose blocks up to 1 are final, and its chain. */
const open = Effect.fnUntraced(function* (ledgers: Readonly<Record<number, Ledger>>) {
  const config = yield* Effect.fromResult(
    Config.decode({ listen: "127.0.0.1:0", database: "sqlite:data", chains: { eth: { rpc: ["http://127.0.0.1:9"] } } }),
  )
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const { blocks, projections } = chainOf(ledgers, 2)
  const store = yield* TestStore.open(database, { name: "eth", id: 1 }, { watch: null, projections })
  yield* store.append(null, blocks)
  yield* store.finalize(1)
  const [served] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  return { chain: IndexedChain.fromDatabase(database)(served!), proofs: yield* store.database.chain(store.ref).proofs }
})

/** The statement of alice, from a block if given. */
const read = (chain: IndexedChain.IndexedChain, from?: number) =>
  IndexedStatement.read({
    chain,
    wallet: Rows.alice,
    range: { from: from === undefined ? { _tag: "Open" } : { _tag: "Block", block: from }, to: { _tag: "Open" } },
  })

const ids = (count: number): Ledger => ({
  0: Array.from({ length: count }, (_, at) => ({ kind: "erc1155", asset: token, tokenId: String(at), amount: 1n })),
})

describe("IndexedStatement", () => {
  it.effect("read: states at most as many assets as are compared with the chain", () =>
    Effect.gen(function* () {
      const tooLong = yield* Effect.flip(read((yield* open({ 1: ids(20_000) })).chain))
      const short = yield* Effect.flip(read((yield* open({ 1: ids(1) })).chain))

      expect(tooLong).toMatchObject({ _tag: "StatementTooLong", what: "assets", max: 20_000 })
      expect(short).toMatchObject({ _tag: "OpeningUnknown", asset: "native" })
    }),
  )

  it.effect("read: ends with the last final block if the last comparison is before the range", () =>
    Effect.gen(function* () {
      const { chain, proofs } = yield* open({})
      const first = { number: 0, parentHash: Rows.blockHash(-1) }
      const balances = [{ holding: Holding.native, amount: 5n }]
      yield* proofs.writeOpenings(first, [{ wallet: Rows.alice, balances }])
      const block = { number: 0, hash: Rows.blockHash(0) }
      yield* proofs.writeProof({ wallet: Rows.alice, first: 0, block, provedBlock: 0, holdings: [], unchecked: [] })
      const stated = yield* read(chain)
      const later = yield* read(chain, 1)

      expect([stated.closing.number, stated.part.isProved]).toEqual([0, true])
      expect([later.closing.number, later.part.isProved]).toEqual([1, false])
    }),
  )
})
