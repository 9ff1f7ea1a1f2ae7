/**
 * Rows beside the ledgers that are damaged, or belong to no block of the index: found, removed, and never an obstacle.
 */
import * as Runs from "@daybook/harness/Runs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Holding from "../../src/ledger/Holding.ts"
import * as Verify from "../../src/maintenance/Verify.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import * as Connection from "../../src/store/sqlite/Connection.ts"
import * as Rows from "../server/rows.ts"
import * as Model from "../store/model.ts"
import * as TestStore from "../store/TestStore.ts"
import * as BesideLedgers from "./besideLedgers.ts"
import { damage } from "./damage.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const ref = { name: "test", id: 31337 }
const projections = [WalletTransactions.projection, WalletLedger.make(ref.id)]
const { alice, block, bob, contract, stranger, transferTopics } = Rows
const blocks = Array.from({ length: 8 }, (_, number) =>
  block(number, [{ from: alice, to: contract, topics: transferTopics }]),
)
const wallets = [alice, bob, stranger]
const token = { name: "Token", symbol: "TOK", decimals: 18, block: 3 }

/** A store of six blocks with openings, proofs and tokens; the file, its store and audit. */
const stored = Effect.gen(function* () {
  const path = yield* temporaryFolder
  const store = yield* TestStore.inFolder(path, ref, { projections })
  yield* store.append(null, blocks.slice(0, 6))
  const chain = store.database.chain(ref)
  const proofs = yield* chain.proofs
  const first = { number: 0, parentHash: blocks[0]!.parentHash }
  const holding = { standard: "erc20", asset: contract, tokenId: null } as const
  const balances = [
    { holding: Holding.native, amount: 5n },
    { holding, amount: 7n },
  ]
  yield* proofs.writeOpenings(
    first,
    wallets.map((wallet) => ({ wallet, balances })),
    6,
  )
  yield* proofs.writeTokens(first, new Map(wallets.map((address) => [address, token])), 6)
  for (const [at, wallet] of wallets.entries()) {
    const { hash, number } = blocks[at]!
    const compared = { holding, block: number, expected: 7n, found: 7n, firstBlock: null }
    yield* proofs.writeProof({
      wallet,
      first: 0,
      block: { number, hash },
      provedBlock: number,
      holdings: [compared],
      unchecked: [],
    })
  }
  return { file: join(path, "chain-test.sqlite"), store, audit: chain.audit }
})

const statements = [
  "UPDATE opening SET amount = x'09'",
  "UPDATE proof SET body = replace(body, '7', '8')",
  "UPDATE reconciled SET block = block + 1",
  "UPDATE token SET decimals = 6",
]

/** Copies of a row of each table with blocks beyond the head of block 5. */
const beyond = [
  "INSERT INTO block SELECT chain, number + 4, hash, parent_hash, timestamp, transactions, facts, checksum FROM block WHERE number = 2",
  "INSERT INTO facts VALUES (6, 0, 0, x'00')",
  "INSERT INTO gap VALUES (7, 0, 'check', NULL, 'a reason')",
  "INSERT INTO document (id, revision, form, size, internal_size, hash, addresses, frame, checksum) SELECT id + 4 * 1048576, revision, form, size, internal_size, hash, addresses, frame, checksum FROM document WHERE id = 2 * 1048576",
  "INSERT INTO history (key, id) SELECT key, id + 4 * 1048576 FROM history WHERE id = 2 * 1048576",
  "INSERT INTO ledger (wallet, id, body, checksum) SELECT wallet, id + 4 * 1048576, body, checksum FROM ledger WHERE id = 2 * 1048576",
  "INSERT INTO ledger_block SELECT block + 4, places, checksum FROM ledger_block WHERE block = 2",
]

describe("removable rows", () => {
  it.live(
    "removableRows, removeRows: name each changed or copied row beside the ledgers, and remove it completely",
    () =>
      Effect.gen(function* () {
        const { audit, file } = yield* stored
        const connection = yield* Connection.connect({ file, readOnly: false })
        const { kinds, missed } = yield* BesideLedgers.run(connection, audit, Model.seeded(30), Runs.usual(800), 5)

        expect(missed).toEqual([])
        expect([...kinds.keys()].toSorted()).toEqual([
          "block copied",
          "facts copied",
          "opening changed",
          "opening copied",
          "proof changed",
          "proof copied",
          "reconciled changed",
          "reconciled copied",
          "token changed",
          "token copied",
        ])
      }),
  )

  it.live("snapshot: ignores a damaged opening, proof, proved block or token, and serves everything else", () =>
    Effect.gen(function* () {
      const { file, store } = yield* stored
      const read = store.snapshot((snapshot) =>
        Effect.all([
          Effect.map(snapshot.openings(alice), ({ balances }) => balances),
          snapshot.proof(alice),
          snapshot.reconciledTo(alice),
          snapshot.tokens([alice]),
          snapshot.findTokens("tok", 9),
        ]),
      )
      const before = yield* read
      damage(file, ...statements)

      expect(
        before.map((one) => (Array.isArray(one) ? one.length : one instanceof Map ? one.size : one)),
      ).toMatchObject([2, { wallet: alice }, 0, 1, 3])
      expect(yield* read).toEqual([[], null, null, new Map(), new Map()])
    }),
  )

  it.live("removeRows: causes removed rows to be read again, and keeps intact rows", () =>
    Effect.gen(function* () {
      const { audit, file, store } = yield* stored
      const unread = store.snapshot((snapshot) => {
        const query = { to: 5, wallets: null, limit: 99 }
        return Effect.all([snapshot.unreadOpenings(query), snapshot.unreadTokens(query)])
      })
      const before = yield* unread
      damage(file, ...statements)
      const { removable } = yield* Verify.run(audit, { appearancesAtOnce: 2 })
      yield* Effect.scoped(Effect.flatMap(audit.repairer, ({ removeRows }) => removeRows(removable)))
      const after = yield* unread

      expect(removable).toHaveLength(15)
      expect(before.map((one) => one.next)).toEqual([6, 6])
      expect([before[0].holdings, before[1].tokens]).toEqual([[], []])
      expect(after[0].holdings.length).toBeGreaterThan(0)
      expect(after[1].from).toBe(0)
    }),
  )

  it.live("removableRows: name long texts and internal transactions of a block beyond the head", () =>
    Effect.gen(function* () {
      const { audit, file } = yield* stored
      damage(
        file,
        "INSERT INTO large_document VALUES (6 * 1048576, x'00', 0)",
        "INSERT INTO large_internal VALUES (6 * 1048576, x'00', 0)",
      )
      const { removable } = yield* Verify.run(audit)

      expect(removable.map(({ what }) => what)).toEqual([
        "a long text of block 6 is stored, while the index has blocks 0 to 5",
        "a long list of internal transactions of block 6 is stored, while the index has blocks 0 to 5",
      ])
    }),
  )

  it.live("append: removes conflicting rows of blocks beyond the head, and adds the block", () =>
    Effect.gen(function* () {
      for (const statement of beyond) {
        const { audit, file, store } = yield* stored
        const { hash, number } = blocks[5]!
        damage(file, statement)
        yield* store.append({ number, hash }, blocks.slice(6))
        const { issues, orphaned, removable } = yield* Verify.run(audit)

        expect([statement, issues, orphaned, removable]).toEqual([statement, [], [], []])
      }
    }),
  )

  it.live("prepend: removes conflicting rows of blocks below the first, and adds the blocks", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFolder
      const store = yield* TestStore.inFolder(path, ref, { projections })
      yield* store.append(null, blocks.slice(4, 6))
      damage(
        join(path, "chain-test.sqlite"),
        "INSERT INTO block SELECT chain, number - 1, hash, parent_hash, timestamp, transactions, facts, checksum FROM block WHERE number = 4",
      )
      const { hash, number } = blocks[4]!
      const { removable } = yield* Verify.run(store.database.chain(ref).audit)
      yield* store.prepend({ number, hash }, blocks.slice(0, 4))

      expect(removable.map(({ what }) => what)).toEqual([
        "a row of block 3 is stored, while the index has blocks 4 to 5",
      ])
      expect((yield* Verify.run(store.database.chain(ref).audit)).issues).toEqual([])
    }),
  )
})
