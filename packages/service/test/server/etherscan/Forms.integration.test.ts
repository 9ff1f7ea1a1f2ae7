/** Rows of every kind, compared key by key with recorded rows of Etherscan V2, Routescan and Blockscout. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as indexedService from "./indexedService.ts"

type Row = Readonly<Record<string, unknown>>

interface Recorded {
  readonly server: "etherscan" | "routescan" | "blockscout"
  readonly action: string
  readonly form: "address" | "transaction"
  readonly row: Row
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "recordedRows.json"), "utf8"),
) as ReadonlyArray<Recorded>

/** The form of a value. A text that is empty in one of two rows has no form. */
const shapeOf = (value: unknown): string => {
  if (typeof value !== "string") return Array.isArray(value) ? "list" : typeof value
  if (/^0x[\da-f]*$/.test(value)) return value.length === 42 ? "address" : "hex"
  // The position of a call consists of digits joined by underscores.
  return /^\d+(_\d+)*$/.test(value) ? "digits" : "text"
}

/** Keys of other services that rows here do not have, each with its reason. */
const absent: Readonly<Record<string, string>> = {
  "etherscan txlist gasPriceBid": "Arbitrum: the bid is not in the index",
  "blockscout txlistinternal callType": "Blockscout alone",
  "blockscout txlistinternal index": "traceId has it",
  "blockscout txlistinternal transactionHash": "hash has it",
}

/** Values of other services that are written differently here. */
const otherwise: Readonly<Record<string, string>> = {
  "blockscout getminedblocks timeStamp": "Blockscout: a text of a date",
  "blockscout tokentx methodId": "Blockscout: without 0x",
  "blockscout tokentx input": "Blockscout: the input of the transaction",
}

/** Where a row of each action is found: for any address, and which part of the answer is a row. */
const queriesOf = ({ chain, scan }: indexedService.Indexed, { action, form }: Recorded): ReadonlyArray<string> => {
  const { accounts, contracts } = chain.world
  const { gold } = contracts
  if (action === "getLogs") return [`module=logs&action=getLogs&address=${gold}`]
  if (action === "getblockreward") return ["module=block&action=getblockreward&blockno=5"]
  if (action === "getcontractcreation") {
    return [`module=contract&action=getcontractcreation&contractaddresses=${gold}`]
  }
  if (form === "transaction") {
    const inner = scan.addresses.flatMap((address) => scan.rows("txlistinternal", address))[0]!
    return [`module=account&action=txlistinternal&txhash=${inner["hash"]}`]
  }
  const addresses = [accounts.alice, ...scan.addresses]
  return addresses.map((address) => `module=account&action=${action}&address=${address}`)
}

const rowOf = Effect.fnUntraced(function* (service: indexedService.Indexed, one: Recorded) {
  for (const query of queriesOf(service, one)) {
    const { result } = yield* service.get(query)
    const row: Row | undefined = Array.isArray(result) ? result[0] : result
    if (typeof row === "object") return row
  }
  return undefined
})

describe("Etherscan's API", () => {
  it.live("rows have every key of recorded rows, and values of the same form", () =>
    Effect.gen(function* () {
      const service = yield* indexedService.start
      const differences: Array<unknown> = []
      let compared = 0
      for (const one of recorded) {
        const own = yield* rowOf(service, one)
        for (const [key, value] of Object.entries(one.row)) {
          const name = `${one.server} ${one.action} ${key}`
          if (Object.hasOwn(absent, name) || Object.hasOwn(otherwise, name)) continue
          const found = own?.[key]
          compared++
          if (found === "" || (value === "" && typeof found === "string")) continue
          if (shapeOf(found) !== shapeOf(value)) differences.push({ name, form: one.form, recorded: value, found })
        }
      }

      expect(differences).toEqual([])
      expect(compared).toBeGreaterThan(250)
      const names = recorded.flatMap(({ action, row, server }) =>
        Object.keys(row).map((key) => `${server} ${action} ${key}`),
      )
      for (const name of [...Object.keys(absent), ...Object.keys(otherwise)]) expect(names).toContain(name)
    }).pipe(Effect.scoped),
  )

  it.live("rows of one transaction have neither its hash nor a position, like recorded ones", () =>
    Effect.gen(function* () {
      const service = yield* indexedService.start
      const ofTransaction = recorded.find(({ form, server }) => form === "transaction" && server === "etherscan")!
      const own = yield* rowOf(service, ofTransaction)

      expect(Object.keys(own ?? {}).toSorted()).toEqual(Object.keys(ofTransaction.row).toSorted())
    }).pipe(Effect.scoped),
  )
})
