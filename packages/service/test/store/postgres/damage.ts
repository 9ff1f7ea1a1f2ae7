/** Tests of damaged rows on a server, and of the extension that detects damaged indexes. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as Holding from "../../../src/ledger/Holding.ts"
import * as Verify from "../../../src/maintenance/Verify.ts"
import { blockOn, chainOn, refOf, wallets } from "../model.ts"
import { pageBodies, ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"
import * as TestServer from "./TestServer.ts"

/** Registers the tests of damage on a server. */
export const damage = (server: () => string): void => {
  const opened = Effect.gen(function* () {
    const { rows, url } = yield* TestServer.database(server())
    return { rows, url, store: yield* TestStore.open(yield* TestServer.connect(url), ref) }
  })

  describe("amcheck", () => {
    it.live("engineIssues: finds the extension in any schema, and skips it for a user who may not call it", () =>
      Effect.gen(function* () {
        const { rows, store, url } = yield* opened
        yield* rows("CREATE SCHEMA extensions")
        yield* rows("CREATE EXTENSION amcheck SCHEMA extensions")
        yield* store.append(null, chainOn(null, 2))
        const userUrl = new URL(url)
        userUrl.username = `checker_${userUrl.pathname.slice(1)}`
        yield* rows(`CREATE ROLE ${userUrl.username} LOGIN`)
        yield* Effect.addFinalizer(() =>
          Effect.andThen(rows(`DROP OWNED BY ${userUrl.username}`), rows(`DROP ROLE ${userUrl.username}`)),
        )
        const ofUser = (yield* TestServer.connect(userUrl.href)).chain(ref).audit.engineIssues
        const refused = yield* ofUser
        yield* rows(`GRANT USAGE ON SCHEMA extensions, daybook_test TO ${userUrl.username}`)
        yield* rows(`GRANT EXECUTE ON FUNCTION extensions.bt_index_check(regclass, boolean) TO ${userUrl.username}`)

        expect([refused, yield* ofUser, yield* store.database.chain(ref).audit.engineIssues]).toEqual([[], [], []])
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([]))),
    )
  })

  describe("damage", () => {
    it.live("page: rejects each changed column of a transaction, and names the block", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* opened
        const large = blockOn(null, { transactions: [[wallets[0]!]] })
        const text = JSON.stringify({ text: "Zürich ".repeat(20_000) })
        const [transaction] = large.transactions
        const block = { ...large, transactions: [{ ...transaction!, body: text, internal: text }] }
        yield* store.append(null, [block])
        expect(yield* pageBodies(store)).toEqual([text])
        const columns = [
          "revision = 9",
          "size = size + 1",
          "hash = '\\x00'",
          "large_frame = '\\x00'",
          "large_checksum = 7",
        ]
        const changes = [...columns, "large_internal = NULL", "addresses = NULL", "form = 0"]

        for (const change of changes) {
          yield* rows("CREATE TABLE daybook_test.kept AS SELECT * FROM daybook_test.document")
          yield* rows(`UPDATE daybook_test.document SET ${change}`)
          const refused = yield* Effect.flip(pageBodies(store))
          yield* rows("DELETE FROM daybook_test.document")
          yield* rows("INSERT INTO daybook_test.document SELECT * FROM daybook_test.kept")
          yield* rows("DROP TABLE daybook_test.kept")

          expect([change, refused._tag === "StoreError" ? refused.damagedBlock : null]).toEqual([change, 10])
        }
        expect(yield* pageBodies(store)).toEqual([text])
      }),
    )

    it.live("transactions: rejects a page up to a block that lacks a transaction, and names the block", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* opened
        const transactions = [[wallets[0]!], [wallets[1]!]]
        const one = blockOn(null, { transactions })
        yield* store.append(null, [one, blockOn(one, { transactions })])
        const read = (limit: number) =>
          store.snapshot((snapshot) => snapshot.transactions({ from: 0, to: 1_000, order: "ASC", after: null, limit }))
        const before = yield* read(4)
        yield* rows("DELETE FROM daybook_test.document WHERE id = (SELECT max(id) FROM daybook_test.document)")
        const rejected = yield* Effect.flip(read(4))

        expect(before.rows).toHaveLength(4)
        expect((yield* read(1)).rows).toEqual(before.rows.slice(0, 1))
        expect([rejected._tag, rejected.damagedBlock]).toEqual(["StoreError", 11])
        expect(rejected.message).toContain("not all of its transactions are stored")
      }),
    )

    it.live("snapshot: rejects a changed checkpoint, block or projection", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* opened
        yield* store.append(null, chainOn(null, 2))
        const read = store.snapshot((snapshot) =>
          Effect.all([snapshot.block(11), snapshot.projection("wallet_transactions")]),
        )
        yield* read

        const messages: Array<string> = []
        for (const [table, change, back] of [
          ["checkpoint", "first = first + 1", "first = first - 1"],
          ["block", "timestamp = timestamp + 1", "timestamp = timestamp - 1"],
          ["projection", "next = next + 1", "next = next - 1"],
        ]) {
          yield* rows(`UPDATE daybook_test.${table} SET ${change}`)
          messages.push((yield* Effect.flip(read)).message)
          yield* rows(`UPDATE daybook_test.${table} SET ${back}`)
        }

        expect(messages.map((message) => message.split(":")[0])).toEqual([
          "Stored checkpoint damaged",
          "Stored block damaged",
          "Stored checkpoint damaged",
        ])
        yield* read
      }),
    )

    it.live(
      "removableRows, removeRows: name damaged openings, proofs and tokens, which read as missing, and remove them",
      () =>
        Effect.gen(function* () {
          const { rows, store } = yield* opened
          const blocks = chainOn(null, 3)
          yield* store.append(null, blocks)
          const chain = store.database.chain(ref)
          const proofs = yield* chain.proofs
          const wallet = wallets[0]!
          const first = { number: 10, parentHash: blocks[0]!.parentHash }
          const holding = Holding.native
          const token = { name: "Token", symbol: "TOK", decimals: 18, block: 10 }
          yield* proofs.writeOpenings(first, [{ wallet, balances: [{ holding, amount: 5n }] }])
          yield* proofs.writeTokens(first, new Map([[wallet, token]]), 13)
          yield* proofs.writeProof({
            wallet,
            first: 10,
            block: refOf(blocks[1]!),
            provedBlock: 11,
            holdings: [],
            unchecked: ["A sentence."],
          })
          const read = store.snapshot((snapshot) =>
            Effect.all([
              Effect.map(snapshot.openings(wallet), ({ balances }) => balances),
              snapshot.proof(wallet),
              snapshot.reconciledTo(wallet),
              snapshot.tokens([wallet]),
            ]),
          )
          const before = yield* read
          const found: Array<ReadonlyArray<string>> = []
          for (const change of [
            "opening SET amount = '\\x09'",
            "proof SET body = '\\x7b7d'",
            "proof SET proved = proved + 1",
            "token SET decimals = 6",
          ]) {
            yield* rows(`UPDATE daybook_test.${change}`)
            const { removable } = yield* Verify.run(chain.audit)
            found.push(removable.map(({ what }) => what))
          }
          expect(yield* read).toEqual([[], null, null, new Map()])
          const { removable } = yield* Verify.run(chain.audit, { appearancesAtOnce: 1 })
          yield* Effect.scoped(Effect.flatMap(chain.audit.repairer, ({ removeRows }) => removeRows(removable)))

          expect(before).toMatchObject([[{ amount: 5n }], { provedBlock: 11 }, 11, new Map([[wallet, token]])])
          expect(
            found.map((descriptions) => descriptions.map((what) => what.split(" ").slice(0, 4).join(" "))),
          ).toEqual([
            ["an opening balance of"],
            ["an opening balance of", `the proof of ${wallet}`],
            ["an opening balance of", `the proof of ${wallet}`, "the last proved block"],
            ["an opening balance of", `the proof of ${wallet}`, "the last proved block", "the description of token"],
          ])
          expect((yield* Verify.run(chain.audit)).removable).toEqual([])
        }),
    )

    it.live("append, prepend: remove conflicting rows of blocks outside of the index, and add the blocks", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* opened
        const blocks = chainOn(null, 6)
        const { audit } = store.database.chain(ref)
        yield* store.append(null, blocks.slice(2, 4))
        for (const by of [-1, 2]) {
          yield* rows(
            `INSERT INTO daybook_test.block SELECT number + ${by}, hash, parent_hash, timestamp, transactions, facts, checksum FROM daybook_test.block WHERE number = 12`,
          )
        }
        const { removable } = yield* Verify.run(audit)
        yield* store.append(refOf(blocks[3]!), blocks.slice(4))
        yield* store.prepend(refOf(blocks[2]!), blocks.slice(0, 2))
        const after = yield* Verify.run(audit)

        expect(removable.map(({ what }) => what).toSorted()).toEqual([
          "a row of block 11 is stored, while the index has blocks 12 to 13",
          "a row of block 14 is stored, while the index has blocks 12 to 13",
        ])
        expect([after.blocks, after.removable]).toEqual([6, []])
      }),
    )
  })
}
