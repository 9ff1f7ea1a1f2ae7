import type { Anvil } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { expect, vi } from "vitest"
import type * as DevServer from "../../src/dev/DevServer.ts"
import { type Json, request } from "../server/service.ts"
import { develop, restartable, within } from "./develop.ts"

vi.setConfig({ testTimeout: 120_000 })

/** The hashes of an account's transactions, as returned by the service. */
const historyOf = ({ chain, url }: DevServer.Running, account: string) =>
  Effect.map(request(`${url}/api/v2.2/${account}/verbose?chain=${chain}&limit=1000`), ({ json }) =>
    ((json?.result ?? []) as ReadonlyArray<Json>).map(({ hash }) => hash as string),
  )

/**
 * Sends transactions. After a revert, anvil was seen to count a transaction in its pool that it never mines, so the
 * pool is emptied and the nonce is read from the newest block. A transaction that still waits gets a block of its own.
 */
const sender = ({ accounts, call }: Anvil.Node) =>
  Effect.gen(function* () {
    const [from, to] = accounts
    yield* call("anvil_dropAllTransactions")
    const nonce = yield* call<string>("eth_getTransactionCount", [from, "latest"])
    const hash = yield* call<string>("eth_sendTransaction", [{ from, to, nonce, value: "0x1" }])
    const isMined = Effect.map(call<object | null>("eth_getTransactionReceipt", [hash]), (found) => found !== null)
    const what = "the transaction is mined"
    yield* Eventually.untilEffect(isMined, { ...within, withinMillis: 5_000, what }).pipe(
      Effect.catch(() => Effect.andThen(call("evm_mine"), Eventually.untilEffect(isMined, { ...within, what }))),
    )
    return hash
  })

const untilHistory = (running: DevServer.Running, account: string, expected: ReadonlyArray<string>) =>
  Eventually.untilEffect(
    Effect.map(historyOf(running, account), (found) => JSON.stringify(found) === JSON.stringify(expected)),
    { ...within, what: `the history is ${expected.length} transactions` },
  )

/** Number of reverts of the node; 100 before a release. */
const reverts = Number(process.env["DAYBOOK_DEV_REVERTS"] ?? 10)

describe("daybook dev", () => {
  it.live("follows reverts, a reorg and a reset of its node", () =>
    Effect.gen(function* () {
      const { begin } = yield* restartable
      const node = yield* begin({})
      const running = yield* Queue.take(yield* develop(node.url))
      const account = node.accounts[0]!
      const send = sender(node)
      const kept = [yield* send]
      for (let turn = 1; turn <= reverts; turn++) {
        const snapshot = yield* node.call<string>("evm_snapshot")
        yield* send
        yield* node.call("evm_revert", [snapshot])
        if (turn % 5 !== 0) continue
        kept.unshift(yield* send)
        yield* untilHistory(running, account, kept)
      }
      yield* node.call("evm_revert", [yield* node.call<string>("evm_snapshot")])
      const rest = kept.slice(2)
      yield* node.call("anvil_reorg", [2, []])
      yield* untilHistory(running, account, rest)
      yield* node.call("anvil_reset")
      yield* untilHistory(running, account, [])
      yield* untilHistory(running, account, [yield* send])
    }).pipe(Effect.scoped),
  )

  it.live("waits for a stopped node, and indexes another chain or a restarted one without being restarted", () =>
    Effect.gen(function* () {
      const { begin, stop } = yield* restartable
      const first = yield* begin({})
      const announced = yield* develop(first.url)
      const running = yield* Queue.take(announced)
      const account = first.accounts[0]!
      yield* untilHistory(running, account, [yield* sender(first)])

      yield* stop
      const second = yield* begin({ port: first.port, genesisTimestamp: 1_800_000_000 })
      yield* untilHistory(running, account, [yield* sender(second)])
      yield* stop
      const other = yield* begin({ port: first.port, chainId: 1337 })
      const again = yield* Queue.take(announced)
      const hash = yield* sender(other)

      expect([again.url, again.node.chainId]).toEqual([running.url, 1337])
      yield* untilHistory(again, account, [hash])
    }).pipe(Effect.scoped),
  )

  it.live("reads the balances at genesis, so that sums equal balances without a final block and after a revert", () =>
    Effect.gen(function* () {
      const { begin } = yield* restartable
      const node = yield* begin({})
      const { chain, url } = yield* Queue.take(yield* develop(node.url))
      const [account] = node.accounts
      const send = sender(node)
      const balances = Effect.map(
        request(`${url}/api/v2.2/${account}/balances?chain=${chain}&asset=native`),
        ({ json }) => json as { readonly incomplete: Json; readonly result: ReadonlyArray<Json> } | undefined,
      )
      const untilComplete = (what: string) =>
        Eventually.untilEffect(
          Effect.gen(function* () {
            const held = BigInt(yield* node.call<string>("eth_getBalance", [account, "latest"]))
            const found = yield* balances
            return found?.incomplete?.["opening"] === false && found.result[0]?.["balance"] === String(held)
          }),
          { ...within, what },
        )
      const snapshot = yield* node.call<string>("evm_snapshot")
      yield* send
      yield* untilComplete("the balance of the account is the sum with its opening")
      yield* send
      yield* node.call("evm_revert", [snapshot])
      yield* send

      yield* untilComplete("the balance is the sum after a revert")
    }).pipe(Effect.scoped),
  )

  it.live("writes a line per transaction, with the reason of a failed one, and a line for reverted blocks", () =>
    Effect.gen(function* () {
      const { begin } = yield* restartable
      const node = yield* begin({})
      const lines: Array<string> = []
      const running = yield* Queue.take(yield* develop(node.url, { onLine: (line) => lines.push(line) }))
      const [from] = node.accounts
      const send = sender(node)
      const untilLine = (pattern: RegExp) =>
        Eventually.untilEffect(
          Effect.sync(() => lines.some((line) => pattern.test(line))),
          { ...within, withinMillis: 20_000, what: `a line like ${pattern}` },
        )
      const snapshot = yield* node.call<string>("evm_snapshot")
      const hash = yield* send
      yield* untilLine(new RegExp(`^#1  ${hash.slice(0, 8)}  Account 0 → Account 1  1 wei +21,000 gas  ok$`))
      // A creation that ends with Error("no").
      const text = ["20", "02"].map((digits) => digits.padStart(64, "0")).join("") + "6e6f".padEnd(64, "0")
      const data = `0x6064600c60003960646000fd08c379a0${text}`
      yield* Effect.ignore(node.call("eth_sendTransaction", [{ from, data, gas: "0x30d40" }]))
      yield* untilLine(/^#2 .* Account 0 → new .* reverted no {2}http/)
      expect(lines.at(-1)).toContain(`${running.url}/tx/0x`)

      yield* node.call("evm_revert", [snapshot])

      yield* untilLine(/^Blocks 1 to 2 were reverted$/)
      lines.length = 0
      const again = yield* send
      yield* untilLine(new RegExp(`^#\\d+  ${again.slice(0, 8)} .* ok$`))
    }).pipe(Effect.scoped),
  )

  it.live("requires no key from programs and pages on this machine, but one from other pages", () =>
    Effect.gen(function* () {
      const { begin } = yield* restartable
      const node = yield* begin({})
      const { url } = yield* Queue.take(yield* develop(node.url))
      const call = (headers: Readonly<Record<string, string>>) =>
        Effect.map(
          request(`${url}/rpc/local`, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" }),
          }),
          ({ status }) => status,
        )

      expect(yield* call({})).toBe(200)
      expect(yield* call({ origin: "http://localhost:3000", "sec-fetch-site": "cross-site" })).toBe(200)
      expect(yield* call({ origin: "https://evil.example", "sec-fetch-site": "cross-site" })).toBe(401)
      expect((yield* request(`${url}/explorer.json`)).json).toMatchObject({
        access: "open",
        chains: [{ name: "local", chainId: 31337 }],
      })
    }).pipe(Effect.scoped),
  )
})
