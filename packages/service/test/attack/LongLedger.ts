/**
 * A store with a wallet that has many movements of many assets. Each asset has an opening balance, a name and a comparison with the
 * chain.
 */
import { Effect } from "effect"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import type * as Movement from "../../src/ledger/Movement.ts"
import * as Role from "../../src/ledger/Role.ts"
import type * as Holding from "../../src/ledger/Holding.ts"
import type { LedgerProjection } from "../../src/block/Projection.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import * as Engine from "../../src/store/Engine.ts"
import type { TokenMetadata } from "../../src/ledger/TokenMetadata.ts"
import * as Rows from "../server/rows.ts"
import * as TestStore from "../store/TestStore.ts"

const chain = { name: "attack", id: 31_337 }

export const chains = { attack: { id: chain.id, rpc: ["http://127.0.0.1:9"] } }

export interface Sizes {
  readonly movements: number
  readonly assets: number
  /** Number of wallets that also have a movement in each block and were never compared with the chain. Default: none. */
  readonly others?: number | undefined
  /** Name and symbol of an asset by its number. Default: short ASCII texts. */
  readonly textOf?: (at: number) => string
}

/** Address of a further wallet with a ledger. */
export const otherOf = (at: number): string => `0x${"d".repeat(36)}${at.toString(16).padStart(4, "0")}`

const [placesPerBlock, movementsPerPlace] = [25, 40]

const assetOf = (at: number): string => `0x${(at + 1).toString(16).padStart(40, "0")}`

const movementOf = (at: number, { assets }: Sizes, wallet: string): Movement.Movement => ({
  wallet,
  counterparty: Rows.bob,
  asset: assetOf(at % assets),
  tokenId: null,
  kind: "erc20",
  amount: 10n ** 18n + BigInt(at),
  logIndex: at % 1e3,
  isFailed: false,
})

const projectionOf = (sizes: Sizes): LedgerProjection => ({
  id: WalletLedger.id,
  kind: "ledger",
  revision: WalletLedger.revision,
  ledger: ({ number }) =>
    LedgerCodec.pack(
      Array.from({ length: placesPerBlock }, (_, index) => {
        const others = Array.from({ length: sizes.others ?? 0 }, (__, at) => at).filter(
          (at) => at % placesPerBlock === index,
        )
        return [Rows.alice, ...others.map(otherOf)].map((wallet) => ({
          index,
          wallet,
          roles: wallet === Rows.alice ? Role.bits.sender : Role.bits.token_recipient,
          movements: Array.from({ length: movementsPerPlace }, (__, at) =>
            movementOf((number * placesPerBlock + index) * movementsPerPlace + at, sizes, wallet),
          ),
        }))
      }).flat(),
    ),
})

const describe = (store: TestStore.TestStore, { assets, textOf }: Sizes, last: number) =>
  Effect.gen(function* () {
    const writer = yield* store.database.chain(chain).proofs
    const first = { number: 0, parentHash: Rows.blockHash(-1) }
    const holdings = Array.from({ length: assets }, (_, at): Holding.Holding => ({
      standard: "erc20",
      asset: assetOf(at),
      tokenId: null,
    }))
    yield* writer.writeOpenings(first, [
      { wallet: Rows.alice, balances: holdings.map((holding) => ({ holding, amount: 0n })) },
    ])
    const nameOf = textOf ?? ((at: number) => `Token number ${at} of a wallet`)
    const symbolOf = textOf ?? ((at: number) => `T${at}`)
    const tokens = new Map(
      holdings.map(({ asset }, at): readonly [string, TokenMetadata] => [
        asset,
        { name: nameOf(at), symbol: symbolOf(at), decimals: 18, block: 1 },
      ]),
    )
    yield* writer.writeTokens(first, tokens, 0)
    const block = { number: last, hash: Rows.blockHash(last) }
    const compared = holdings.map((holding) => ({
      holding,
      block: last,
      expected: 10n ** 18n,
      found: 10n ** 18n,
      firstBlock: null,
    }))
    const parts = { wallet: Rows.alice, first: 0, block, provedBlock: last }
    yield* writer.writeProof({ ...parts, holdings: compared, unchecked: [] })
  }).pipe(Effect.scoped)

/** Fills the database in a folder. */
export const fill = async (folder: string, sizes: Sizes): Promise<void> => {
  const program = Effect.gen(function* () {
    const database = yield* Engine.fromUrl(`sqlite:${folder}`, "/")
    const projections = [WalletTransactions.projection, projectionOf(sizes)]
    const store = yield* TestStore.open(database, chain, { watch: null, projections })
    const plans = Array.from({ length: placesPerBlock }, () => ({ from: Rows.alice, to: Rows.bob }))
    const last = Math.ceil(sizes.movements / (placesPerBlock * movementsPerPlace)) - 1
    let head: { number: number; hash: string } | null = null
    for (let number = 0; number <= last; number++) {
      const block = Rows.block(number, plans)
      yield* store.append(head, [block])
      head = { number, hash: block.hash }
    }
    yield* store.finalize(Math.max(0, last - 10))
    yield* describe(store, sizes, last)
  })
  await Effect.runPromise(Effect.scoped(program))
}
