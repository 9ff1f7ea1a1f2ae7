import * as Runs from "@daybook/harness/Runs"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as chainScan from "./chainScan.ts"
import * as indexedService from "./indexedService.ts"
import * as wholeLists from "./wholeLists.ts"

type Row = indexedService.Row

type Indexed = indexedService.Indexed

const all = Array.from({ length: 50 }, (_, at) => at + 1)

/** Sizes of the pages that are walked: a few of all, and those that end with the list or one row before its end. */
const sizesOf = (rows: number): ReadonlyArray<number> =>
  Runs.usualPart >= 1 ? all : all.filter((size) => [1, 4, 13, 50, rows, rows - 1].includes(size))

/** All pages of a list, which are full except the last one. */
const pages = Effect.fnUntraced(function* ({ list }: Indexed, action: string, address: string, size: number) {
  const found: Array<Row> = []
  for (let page = 1; ; page++) {
    const rows = yield* list(action, address, `&page=${page}&offset=${size}`)
    found.push(...rows)
    if (rows.length < size) return found
  }
})

/** The loop of clients: after a full page they request from its last block again, and drop the rows that they have. */
const fromLastBlock = Effect.fnUntraced(function* ({ list }: Indexed, action: string, address: string, size: number) {
  const found = new Map<string, Row>()
  for (let from = 0; ;) {
    const rows = yield* list(action, address, `&startblock=${from}&endblock=99999999&page=1&offset=${size}&sort=asc`)
    for (const row of withoutConfirmations(rows)) found.set(JSON.stringify(row), row)
    if (rows.length < size) return [...found.values()]
    from = Number(rows.at(-1)!["blockNumber"])
  }
})

const withoutConfirmations = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => key !== "confirmations")))

const actions = chainScan.actions

describe("Etherscan's API", () => {
  it.live("lists of every address of a scenario equal a scan of the node, in both orders", () =>
    Effect.gen(function* () {
      const service = yield* indexedService.start
      const differences: Array<unknown> = []
      let compared = 0
      for (const action of actions) {
        for (const address of service.scan.addresses) {
          if (action.startsWith("token") && address === chainScan.zeroAddress) continue
          const expected = service.scan.rows(action, address)
          const up = yield* service.list(action, address)
          const down = yield* service.list(action, address, "&sort=desc")
          const own = action === "getminedblocks" ? up.toReversed() : up
          const found = own.map((row, at) => wholeLists.pick(row, expected[at] ?? row))
          if (JSON.stringify(found) !== JSON.stringify(expected)) differences.push({ action, address, expected, found })
          const reversed = action === "getminedblocks" ? up : up.toReversed()
          if (JSON.stringify(down) !== JSON.stringify(reversed)) differences.push({ action, address, up, down })
          compared += expected.length
        }
      }
      expect(differences.slice(0, 3)).toEqual([])
      expect(compared).toBeGreaterThan(300)
      for (const action of actions) {
        expect([action, service.scan.addresses.some((one) => service.scan.rows(action, one).length > 0)]).toEqual([
          action,
          true,
        ])
      }

      const busiest = (action: chainScan.Action) =>
        service.scan.addresses
          .filter((one) => one !== chainScan.zeroAddress)
          .toSorted((one, other) => service.scan.rows(action, other).length - service.scan.rows(action, one).length)[0]!
      for (const action of actions) {
        const address = busiest(action)
        const whole = withoutConfirmations(yield* service.list(action, address))
        const blocks = whole.map((row) => row["blockNumber"])
        const most = Math.max(0, ...blocks.map((block) => blocks.filter((other) => other === block).length))
        for (const size of sizesOf(whole.length)) {
          expect([action, size, withoutConfirmations(yield* pages(service, action, address, size))]).toEqual([
            action,
            size,
            whole,
          ])
          if (action === "getminedblocks" || size <= most) continue
          expect([action, size, yield* fromLastBlock(service, action, address, size)]).toEqual([action, size, whole])
        }
      }

      expect(yield* wholeLists.compareAll(service, service.scan, service.chain.last)).toBeGreaterThan(20)

      const ofZero = `module=account&action=tokentx&address=${chainScan.zeroAddress}`
      expect((yield* service.get(ofZero)).result).toBe(
        "Not indexed: mints and burns are not listed for the zero address",
      )

      const { accounts } = service.chain.world
      const traced = (yield* service.list("txlistinternal", busiest("txlistinternal")))[0]!
      const ofTransaction = yield* service.get(`module=account&action=txlistinternal&txhash=${traced["hash"]}`)
      expect(ofTransaction.result).toContainEqual(
        Object.fromEntries(Object.entries(traced).filter(([key]) => key !== "hash" && key !== "traceId")),
      )
      const balance = yield* service.get(`module=account&action=balance&address=${accounts.alice}&tag=latest`)
      expect(balance.result).toBe(
        String(BigInt(yield* service.chain.node.call<string>("eth_getBalance", [accounts.alice, "latest"]))),
      )
      const proxied = yield* service.get("module=proxy&action=eth_blockNumber")
      expect(proxied).toEqual({ jsonrpc: "2.0", id: 1, result: `0x${service.chain.last.toString(16)}` })
      const [sent] = yield* service.list("txlist", accounts.alice)
      const receipt = yield* service.get(`module=transaction&action=gettxreceiptstatus&txhash=${sent!["hash"]}`)
      expect(receipt).toEqual({ status: "1", message: "OK", result: { status: sent!["txreceipt_status"] } })
      const number = yield* service.get(
        `module=block&action=getblocknobytime&timestamp=${sent!["timeStamp"]}&closest=before`,
      )
      expect(number.result).toBe(sent!["blockNumber"])
    }).pipe(Effect.scoped),
  )
})
