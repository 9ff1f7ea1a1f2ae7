/** Compares what two indexes store of a wallet: its ledger, and its transactions in any role. */
import { Effect } from "effect"
import * as Role from "../../src/ledger/Role.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as WatchList from "../../src/store/WatchList.ts"
import type * as TestStore from "../store/TestStore.ts"

/** A ledger entry as text, with all its fields. */
export interface Place {
  readonly block: number
  readonly roles: number
  readonly text: string
}

const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

/** The ledger of a wallet from the first block that an index states, and the hashes of its transactions in any role. */
export const read = (store: TestStore.TestStore, wallet: string) =>
  store.snapshot((snapshot) =>
    Effect.gen(function* () {
      const checkpoint = (yield* snapshot.checkpoint)!
      const [from, to] = [WatchList.firstBlock(checkpoint, wallet), checkpoint.head.number]
      const range = { from, to, order: "ASC", after: null, limit: 100_000 } as const
      const ledger = yield* snapshot.ledger({ wallet, ...range })
      const places = ledger.rows.map(({ block, candidates, index, movements, roles }): Place => {
        const text = JSON.stringify({ block, index, roles: Role.fromBits(roles), movements, candidates }, bigints)
        return { block, roles, text }
      })
      const page = { key: wallet, ...range, limit: 10_000 }
      const { rows } = yield* snapshot.page({ id: WalletLedger.id, kind: "ledger" }, page)
      return { from, places, rows: rows.map(({ body, internal }) => `${body}${internal ?? ""}`) }
    }),
  )

/** Result of `read`. */
export type Read = Effect.Success<ReturnType<typeof read>>

/**
 * Differences between a wallet whose past was searched and the same wallet in an index of every wallet. Blocks without a movement of the
 * wallet may be missing if they only contain calls by others or fees of 0.
 */
export const differences = (full: Read, searched: Read): ReadonlyArray<string> => {
  const { bits } = Role
  const called = bits.recipient | bits.internal_callee | bits.internal_caller | bits.creator | bits.fee_recipient
  const seen = new Set(full.places.filter(({ roles }) => (roles & ~called) !== 0).map(({ block }) => block))
  const [all, searchedEntries] = [
    new Set(full.places.map(({ text }) => text)),
    new Set(searched.places.map(({ text }) => text)),
  ]
  const isMissed = ({ block, text }: Place) =>
    !searchedEntries.has(text) && (seen.has(block) || !text.includes('"movements":[]'))
  return [
    ...full.places.filter(isMissed).map(({ text }) => `missing: ${text}`),
    ...searched.places.filter(({ text }) => !all.has(text)).map(({ text }) => `surplus: ${text}`),
  ]
}
