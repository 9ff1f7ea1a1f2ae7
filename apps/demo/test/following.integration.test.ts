/** Follows a wallet that has more rows in one block than a client remembers, through a service on the embedded chain. */
import { type Anvil, Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import * as Rpc from "@daybook/harness/Rpc"
import { RestClient } from "@daybook/rest"
import { Effect, Logger, Stream } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import type * as Local from "../src/Local.ts"
import { startLocal } from "./startLocal.ts"
import { untilIndexed } from "./untilIndexed.ts"

const wallets = ["0x00000000000000000000000000000000000f0110", "0x00000000000000000000000000000000000f0111"] as const
const transfers = 2_000

let local: Local.Local
beforeAll(async () => {
  const started = await startLocal(2)
  local = started.local
  return started.close
}, 180_000)

/** Mines one block with a number of transfers to the wallet. */
const mineTransfers = Effect.fnUntraced(function* (node: Anvil.Node, wallet: string) {
  const [from = ""] = node.accounts
  yield* node.call("evm_setBlockGasLimit", ["0x8000000"])
  const first = Number(yield* node.call<string>("eth_getTransactionCount", [from, "latest"]))
  const request = { from, to: wallet, value: "0x1", gas: "0x5208", gasPrice: "0x2540be400" }
  for (let sent = 0; sent < transfers; sent += 500) {
    const calls = Array.from({ length: 500 }, (_, at) => ({
      method: "eth_sendTransaction",
      params: [{ ...request, nonce: `0x${(first + sent + at).toString(16)}` }],
    }))
    yield* Rpc.batch(node.url, calls)
  }
  yield* Head.mine(node)
})

/** A server without events, so that the client polls. */
const withoutEvents: typeof fetch = (input, init) =>
  new URL(input instanceof Request ? input.url : input).pathname.endsWith("/events")
    ? Promise.resolve(Response.json({ message: "Unknown path.", code: "not_found", requestId: "1" }, { status: 404 }))
    : fetch(input, init)

describe("following a wallet", () => {
  it.each([
    { what: "transactions", by: "polling", wallet: wallets[0] },
    { what: "movements", by: "events", wallet: wallets[1] },
  ] as const)(
    "by $by: returns each of the $what of a block with 2,000 transfers once, reads at most one row while the chain is idle, and then what is new",
    { timeout: 180_000 },
    ({ by, wallet, what }) =>
      Effect.gen(function* () {
        const { node, provider } = local
        yield* mineTransfers(node, wallet)
        const targets: Array<string> = []
        const rest = yield* RestClient.make({
          baseUrl: provider.baseUrl,
          apiKey: provider.apiKey,
          fetch: by === "polling" ? withoutEvents : undefined,
          onEvent: (event) => void (event._tag === "Request" && targets.push(event.target)),
        })
        yield* untilIndexed(rest, node)
        const rows: Array<string> = []
        const reverts: Array<bigint> = []
        const options = { follow: 1, onStaleCursor: "restart" } as const
        const take = (hash: string | null, value: object) =>
          Effect.sync(() => void ("_tag" in value ? reverts.push(0n) : rows.push(hash ?? "")))
        const followed =
          what === "transactions"
            ? Stream.runForEach(rest.walletTransactionsStream({ address: wallet }, options), (value) =>
                take("_tag" in value ? null : value.hash, value),
              )
            : Stream.runForEach(rest.movementsStream({ address: wallet }, options), (value) =>
                take("_tag" in value ? null : value.transaction_hash, value),
              )
        yield* Effect.forkChild(followed)
        yield* Eventually.untilEffect(
          Effect.sync(() => rows.length >= transfers),
          { what: "the transfers are received" },
        )
        const isNewestRow = (target: string) => target.endsWith("&limit=1")
        if (by === "polling") {
          yield* Eventually.untilEffect(
            Effect.sync(() => targets.length > 20 && targets.slice(-20).every(isNewestRow)),
            { what: "20 requests of the newest row alone" },
          )
        }
        const next = yield* Head.transfer(node, { from: node.accounts[0] ?? "", to: wallet, valueWei: 2n })
        yield* Head.mine(node)
        yield* Eventually.untilEffect(
          Effect.sync(() => rows.length > transfers),
          { what: "the next transfer is received" },
        )

        expect(reverts).toEqual([])
        expect(rows.length).toBe(transfers + 1)
        expect(new Set(rows).size).toBe(transfers + 1)
        expect(rows.at(-1)).toBe(next)
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise),
  )
})
