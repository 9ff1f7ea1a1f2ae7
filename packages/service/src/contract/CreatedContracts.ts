/**
 * Addresses of the contracts that transactions of the indexed blocks created, as the indexer stores them: the newest ones of this process.
 */
import * as Json from "@daybook/schema/Json"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { TransactionRow } from "../block/BlockRows.ts"

/** What was created. */
export interface CreatedContracts {
  /** Takes the transactions of blocks that were stored. */
  readonly take: (transactions: Iterable<Pick<TransactionRow, "body" | "internal">>) => Effect.Effect<void>
  /** All addresses. */
  readonly all: () => ReadonlyArray<string>
  /** Addresses that were created, also again, since they were taken out last. */
  readonly takeNew: () => ReadonlyArray<string>
  /** Waits until a contract is created. */
  readonly awaitNew: Effect.Effect<void>
}

/** Addresses that are kept. */
export const maxAddresses = 10_000

/** Removes the oldest addresses of a set, or keys of a map, until it holds no more than are kept. */
export const removeOldest = (addresses: Set<string> | Map<string, unknown>): void => {
  for (const oldest of addresses.keys()) {
    if (addresses.size <= maxAddresses) return
    addresses.delete(oldest)
  }
}

/** Adds addresses as the newest ones; the oldest leave. */
export const addNewest = (addresses: Set<string>, added: Iterable<string>): void => {
  for (const address of added) {
    addresses.delete(address)
    addresses.add(address)
  }
  removeOldest(addresses)
}

/** The key and value of a transaction's text; inside a JSON text a quote is escaped. */
const contractForm = /"receipt_contract_address":"(0x[0-9a-f]{40})"/

interface Call {
  readonly type?: unknown
  readonly to?: unknown
}

/** Contracts that calls inside of a transaction created. */
const createdInside = (internal: string): ReadonlyArray<string> => {
  if (!/"type":"create/i.test(internal)) return []
  const calls = Json.parse(internal)
  if (!Array.isArray(calls)) return []
  return (calls as ReadonlyArray<Call | null>).flatMap((call) =>
    call !== null && /^create/i.test(String(call.type)) && typeof call.to === "string" ? [call.to] : [],
  )
}

/** Makes a list without an address. */
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
