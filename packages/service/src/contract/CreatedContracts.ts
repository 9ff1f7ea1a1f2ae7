/**
 * Addresses of contracts created by transactions in indexed blocks, collected while the indexer stores them: the newest ones in this
 * process.
 */
import * as Json from "@daybook/schema/Json"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { TransactionRow } from "../block/BlockRows.ts"

/** Created contracts. */
export interface CreatedContracts {
  /** Takes the transactions of stored blocks. */
  readonly take: (transactions: Iterable<Pick<TransactionRow, "body" | "internal">>) => Effect.Effect<void>
  /** All addresses. */
  readonly all: () => ReadonlyArray<string>
  /** Addresses created, possibly again, since the last call. */
  readonly takeNew: () => ReadonlyArray<string>
  /** Waits until a contract is created. */
  readonly awaitNew: Effect.Effect<void>
}

/** Maximum number of addresses kept. */
const maxAddresses = 10_000

/** Removes the oldest addresses of a set, or keys of a map, beyond the maximum. */
export const removeOldest = (addresses: Set<string> | Map<string, unknown>): void => {
  for (const oldest of addresses.keys()) {
    if (addresses.size <= maxAddresses) return
    addresses.delete(oldest)
  }
}

/** Adds addresses as the newest ones; the oldest are dropped. */
export const addNewest = (addresses: Set<string>, added: Iterable<string>): void => {
  for (const address of added) {
    addresses.delete(address)
    addresses.add(address)
  }
  removeOldest(addresses)
}

/** Key and value in a transaction's text; inside a JSON string a quote is escaped. */
const contractForm = /"receipt_contract_address":"(0x[0-9a-f]{40})"/

interface Call {
  readonly type?: unknown
  readonly to?: unknown
}

/** Contracts created by calls inside a transaction. */
const createdInside = (internal: string): ReadonlyArray<string> => {
  if (!/"type":"create/i.test(internal)) return []
  const calls = Json.parse(internal)
  if (!Array.isArray(calls)) return []
  return (calls as ReadonlyArray<Call | null>).flatMap((call) =>
    call !== null && /^create/i.test(String(call.type)) && typeof call.to === "string" ? [call.to] : [],
  )
}

/** Makes an empty list. */
export const make: Effect.Effect<CreatedContracts> = Effect.gen(function* () {
  const signal = yield* Queue.sliding<void>(1)
  const addresses = new Set<string>()
  let created = new Set<string>()
  return {
    take: (transactions) =>
      Effect.suspend(() => {
        let isMore = false
        for (const { body, internal } of transactions) {
          const direct = contractForm.exec(body)?.[1]
          const inside = createdInside(internal ?? "")
          const found = direct === undefined ? inside : [direct, ...inside]
          addNewest(addresses, found)
          addNewest(created, found)
          isMore ||= found.length > 0
        }
        return isMore ? Effect.asVoid(Queue.offer(signal, undefined)) : Effect.void
      }),
    all: () => [...addresses],
    takeNew: () => {
      const taken = created
      created = new Set()
      return [...taken]
    },
    awaitNew: Queue.take(signal),
  }
})
