/** Contract tests of opening balances and proofs. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Holding from "../../src/ledger/Holding.ts"
import { isProved, type OpeningRows, type WalletProof } from "../../src/store/Proofs.ts"
import type { TokenMetadata } from "../../src/ledger/TokenMetadata.ts"
import { address, chainOn, refOf, wallets } from "./model.ts"
import { expectedLedger, ledgerOf, ledgers } from "./projections.ts"
import * as WalletOpenings from "../../src/store/WalletOpenings.ts"
import * as TestDatabase from "./TestDatabase.ts"
import * as TestStore from "./TestStore.ts"

const [wallet = ""] = wallets
const token = address(77)

const balances = [
  { holding: Holding.native, amount: 5n },
  { holding: { standard: "erc20", asset: token, tokenId: null }, amount: 2n ** 256n - 1n },
  { holding: { standard: "erc721", asset: address(78), tokenId: null }, amount: 2n },
  { holding: { standard: "erc1155", asset: address(79), tokenId: "1000" }, amount: -3n + 4n },
  { holding: { standard: "erc20", asset: address(80), tokenId: null }, amount: 0n },
] as const

/** Movements of the opening; the ids of ERC-721 tokens are unknown. */
const movements = [
  ["native", 5n, null],
  [token, 2n ** 256n - 1n, null],
  [address(79), 1n, "1000"],
]

/** Runs the suite of proofs against an engine. */
export const proofContract = (database: TestDatabase.Make): void => {
  const opened = TestDatabase.opened(database)
  const filled = Effect.gen(function* () {
    const { store: first } = yield* opened
    const store = yield* TestStore.open(first.database, first.ref, { projections: [ledgers(1)] })
    const blocks = chainOn(null, 6)
    yield* store.append(null, blocks.slice(2))
    const proofs = yield* store.database.chain(store.ref).proofs
    const start = { number: 12, parentHash: blocks[2]!.parentHash }
    const proofAt = (at: number): WalletProof => ({
      wallet,
      first: 12,
      block: refOf(blocks[at - 10]!),
      provedBlock: at,
      unchecked: ["A sentence."],
      holdings: [
        {
          holding: Holding.native,
          block: at,
          expected: 7n,
          found: null,
          firstBlock: 13,
        },
      ],
    })
    const openings = Effect.map(
      store.snapshot((snapshot) => snapshot.openings(wallet)),
      ({ balances }) => balances,
    )
    const proof = store.snapshot((snapshot) => snapshot.proof(wallet))
    const reconciledTo = store.snapshot((snapshot) => snapshot.reconciledTo(wallet))
    return { store, blocks, proofs, start, proofAt, openings, proof, reconciledTo }
  })

  describe("openings and proofs", () => {
    it.effect("openingRange: numbers the openings that are movements, in both orders and with every limit", () =>
      Effect.gen(function* () {
        const { blocks, proofs, start, store } = yield* filled
        const none = yield* store.snapshot((snapshot) =>
          snapshot.openingRange({ wallet, order: "DESC", after: undefined, limit: 9 }),
        )
        yield* proofs.writeOpenings(start, [{ wallet, balances }])
        yield* proofs.writeOpenings(start, [{ wallet: wallets[1]!, balances: balances.slice(0, 1) }])
        const walk = Effect.fnUntraced(function* (order: "ASC" | "DESC", limit: number) {
          const walked: Array<OpeningRows["rows"][number]> = []
          for (let after: number | undefined; ;) {
            const page: OpeningRows = yield* store.snapshot((snapshot) =>
              snapshot.openingRange({ wallet, order, after, limit }),
            )
            expect(page.rows.length).toBeLessThanOrEqual(limit)
            walked.push(...page.rows)
            if (page.next === undefined) return walked
            after = page.next
          }
        })
        const all = yield* walk("ASC", 9)

        expect(none).toEqual({ rows: [], next: undefined })
        expect(all.map(({ movement: { amount, asset, kind, tokenId } }) => [kind, asset, amount, tokenId])).toEqual(
          movements.map((movement) => ["genesis", ...movement]),
        )
        expect(all.map(({ number }) => number)).toEqual([0, 1, 2])
        for (const limit of [1, 2, 3, 4]) {
          expect(yield* walk("ASC", limit)).toEqual(all)
          expect(yield* walk("DESC", limit)).toEqual(all.toReversed())
        }
        expect(yield* ledgerOf(store, wallet)).toEqual(expectedLedger(blocks.slice(2), wallet))
      }),
    )

    it.effect("openings: reads a thousand at a time, each once", () =>
      Effect.gen(function* () {
        const { proofs, start, store } = yield* filled
        const many = Array.from({ length: 2_500 }, (_, at) => ({
          holding: { standard: "erc20", asset: address(1_000 + at), tokenId: null } as const,
          amount: BigInt(at % 3),
        }))
        yield* proofs.writeOpenings(start, [{ wallet, balances: [...many, ...balances.slice(0, 1)] }])
        const sizes: Array<number> = []
        const found = yield* WalletOpenings.all((after) =>
          Effect.tap(
            store.snapshot((snapshot) => snapshot.openings(wallet, after)),
            (slice) => Effect.sync(() => sizes.push(slice.balances.length)),
          ),
        )
        const [native, ...tokens] = found

        expect(sizes).toEqual([1_000, 1_000, 501])
        expect(native).toEqual(balances[0])
        expect(tokens).toEqual(many.toSorted((one, other) => (one.holding.asset < other.holding.asset ? -1 : 1)))
      }),
    )

    it.effect("writeOpenings: ignores those of another first block, and unreadOpenings names what is left", () =>
      Effect.gen(function* () {
        const { openings, proofs, start, store } = yield* filled
        const unread = store.snapshot((snapshot) => snapshot.unreadOpenings({ to: 14, wallets: null, limit: 9 }))
        const before = yield* unread
        const moved = yield* proofs.writeOpenings({ ...start, parentHash: `0x${"11".repeat(32)}` }, [
          { wallet, balances },
        ])
        const later = yield* proofs.writeOpenings({ ...start, number: 13 }, [{ wallet, balances }])

        expect(before).toEqual({ holdings: [{ wallet, holding: Holding.native }], next: 15 })
        expect([moved, later, yield* openings]).toEqual([false, false, []])
        expect(yield* unread).toEqual(before)
        expect(yield* proofs.writeOpenings(start, [{ wallet, balances: balances.slice(0, 1) }])).toBe(true)
        expect(yield* openings).toEqual(balances.slice(0, 1))
        expect(yield* unread).toEqual({ holdings: [], next: 15 })
        yield* proofs.writeOpenings(start, [], 15)
        expect(yield* store.snapshot((one) => one.unreadOpenings({ to: 20, wallets: new Set(), limit: 9 }))).toEqual({
          holdings: [],
          next: 21,
        })
      }),
    )

    it.effect("tokens: are written once, for an index with this first block, and unreadTokens names what is left", () =>
      Effect.gen(function* () {
        const { blocks, proofs, start, store } = yield* filled
        const unread = store.snapshot((one) => one.unreadTokens({ to: 14, wallets: null, limit: 9 }))
        const tokensOf = (addresses: ReadonlyArray<string>) =>
          store.snapshot((one) => Effect.map(one.tokens(addresses), (found) => new Map(found)))
        const expected = new Set(
          wallets
            .flatMap((one) => expectedLedger(blocks.slice(2, 5), one))
            .flatMap((row) => row.movements)
            .map(({ asset }) => asset)
            .filter((asset) => asset !== "native"),
        )
        const found = (text: string, limit = 9) =>
          store.snapshot((one) => Effect.map(one.findTokens(text, limit), (tokens) => [...tokens.keys()]))
        const hostile = { name: "'); DROP TABLE token; --", symbol: null, decimals: 77, block: 14 }
        const given = new Map<string, TokenMetadata>([
          [token, hostile],
          [address(78), { name: null, symbol: "₮", decimals: null, block: 14 }],
        ])
        const before = yield* unread
        const elsewhere = yield* proofs.writeTokens({ ...start, number: 13 }, given, 15)
        const none = yield* tokensOf([token])
        const written = yield* proofs.writeTokens(start, given, 15)
        yield* proofs.writeTokens(start, new Map([[token, { ...hostile, name: "Other", block: 15 }]]), 15)

        expect([new Set(before.tokens), before.from, before.next]).toEqual([expected, 12, 15])
        expect([elsewhere, none, written]).toEqual([false, new Map(), true])
        expect(yield* tokensOf([address(78), token, address(79)])).toEqual(given)
        expect(yield* unread).toEqual({ tokens: [], from: 15, next: 15 })
        expect(yield* found("'); drop")).toEqual([token])
        yield* store.unwind(refOf(blocks[5]!), refOf(blocks[3]!))
        expect((yield* unread).from).toBe(14)
        expect(yield* tokensOf([token])).toEqual(new Map([[token, hostile]]))
        yield* store.unwind(refOf(blocks[3]!), null)
        yield* store.append(null, blocks.slice(2))
        expect([yield* tokensOf([token]), (yield* unread).from]).toEqual([new Map(), 12])
      }),
    )

    it.effect(
      "findTokens: returns those whose symbol or name begins with a text, with the earliest of equal ones first",
      () =>
        Effect.gen(function* () {
          const { proofs, start, store } = yield* filled
          const [old, recent, longer, named, other] = [81, 82, 83, 84, 85].map(address) as [
            ...[string, string, string, string, string],
          ]
          const metadata = (symbol: string | null, name: string | null, block: number): TokenMetadata => {
            return { symbol, name, decimals: 18, block }
          }
          yield* proofs.writeTokens(
            start,
            new Map([
              [recent, metadata("usdx", "Copy", 14)],
              [longer, metadata("USDXE", null, 12)],
              [old, metadata("UsdX", "Usdx Coin", 13)],
              [named, metadata(null, "USDX Vault %_", 12)],
              [other, metadata("ÜSD", "É", 12)],
            ]),
            15,
          )
          const found = (text: string, limit = 9) =>
            store.snapshot((one) => Effect.map(one.findTokens(text, limit), (tokens) => [...tokens.keys()]))

          expect(yield* found("USDX")).toEqual([old, recent, longer, named])
          expect(yield* found("usdx", 1)).toEqual([old])
          expect(yield* found("usdx v")).toEqual([named])
          expect(yield* found("Ü")).toEqual([other])
          for (const text of ["%", "_sdx", "sdx", "üsd", "usdxf", "'", "\\"]) expect(yield* found(text)).toEqual([])
        }),
    )

    it.effect("reconciledTo: is the last proved block of the last comparison, or null", () =>
      Effect.gen(function* () {
        const { proofAt, proofs, reconciledTo, store } = yield* filled
        const before = yield* reconciledTo
        yield* proofs.writeProof(proofAt(13))
        const proved = yield* reconciledTo
        yield* proofs.writeProof({ ...proofAt(14), provedBlock: 13 })
        const kept = yield* reconciledTo
        yield* proofs.writeProof({ ...proofAt(14), provedBlock: null })

        expect([before, proved, kept, yield* reconciledTo]).toEqual([null, 13, 13, null])
        expect(yield* store.snapshot((snapshot) => snapshot.reconciledTo(wallets[1]!))).toBe(null)
      }),
    )

    it.effect("prepend and unwind: leave no opening of another first block, and no proof of a removed block", () =>
      Effect.gen(function* () {
        const { blocks, openings, proof, proofAt, proofs, reconciledTo, start, store } = yield* filled
        yield* proofs.writeOpenings(start, [{ wallet, balances }], 15)
        const missing = { ...proofAt(14), block: { ...proofAt(14).block, hash: `0x${"11".repeat(32)}` } }

        expect([yield* proofs.writeProof(missing), yield* proof]).toEqual([false, null])
        expect([yield* proofs.writeProof(proofAt(14)), yield* proof]).toEqual([true, proofAt(14)])
        expect([isProved(proofAt(14)), isProved({ ...proofAt(14), provedBlock: 13 })]).toEqual([true, false])
        yield* store.unwind(refOf(blocks[5]!), refOf(blocks[4]!))
        expect([yield* proof, yield* reconciledTo]).toEqual([proofAt(14), 14])
        yield* store.unwind(refOf(blocks[4]!), refOf(blocks[3]!))
        expect([yield* proof, yield* reconciledTo]).toEqual([null, null])
        expect((yield* store.snapshot((one) => one.unreadOpenings({ to: 99, wallets: null, limit: 1 }))).next).toBe(100)
        yield* proofs.writeProof(proofAt(13))
        yield* store.prepend(refOf(blocks[2]!), blocks.slice(0, 2))
        expect([yield* openings, yield* proof, yield* reconciledTo]).toEqual([[], null, null])
        expect(yield* ledgerOf(store, wallet)).toEqual(expectedLedger(blocks.slice(0, 4), wallet))
        yield* store.unwind(refOf(blocks[3]!), null)
        yield* store.append(null, blocks.slice(2))
        expect([yield* openings, yield* proof]).toEqual([[], null])
      }),
    )
  })
}
