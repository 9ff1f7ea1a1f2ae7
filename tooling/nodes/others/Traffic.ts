/**
 * A few transactions that every node accepts: transfers, a creation, and calls of a contract that calls, creates and logs. They are signed
 * here, since not every node holds accounts, and avoid newer opcodes and transaction types, since not every node supports them.
 */
import { createRequire } from "node:module"
import { Effect, Schedule } from "effect"
import * as Rpc from "../../../tooling/harness/src/Rpc.ts"
import { key, type Waiting } from "./OtherNode.ts"

interface Account {
  readonly address: string
  readonly signTransaction: (transaction: object) => Promise<string>
}

const require = createRequire(new URL("../../chain/package.json", import.meta.url))
const { privateKeyToAccount } = require("viem/accounts") as { readonly privateKeyToAccount: (key: string) => Account }
const { getContractAddress } = require("viem") as {
  readonly getContractAddress: (of: { readonly from: string; readonly nonce: bigint }) => string
}

const account = privateKeyToAccount(key)

/** The account that sends. */
export const sender: string = account.address.toLowerCase()

/** Sends 1 wei to 0xbeef, calls SHA-256, creates an empty contract, logs, and stops. */
const code = [
  "6000",
  "6000",
  "6000",
  "6000",
  "6001",
  "61beef",
  "6201ffff",
  "f1",
  "50",
  "6020",
  "6000",
  "6020",
  "6000",
  "6000",
  "6002",
  "6201ffff",
  "f1",
  "50",
  "6000",
  "6000",
  "53",
  "6001",
  "6000",
  "6000",
  "f0",
  "50",
  "6007",
  "6020",
  "6000",
  "a1",
  "00",
].join("")

const size = (code.length / 2).toString(16).padStart(2, "0")
const creation = `0x60${size}600c60003960${size}6000f3${code}`

const gasPrice = 20_000_000_000n
const receiptPolls = 240
const pollMillis = 250

const receiptOf = Effect.fnUntraced(function* (url: string, hash: string, mine: Mine) {
  yield* mine
  for (let poll = 0; poll < receiptPolls; poll++) {
    const receipt = yield* Rpc.call<{ readonly status: string } | null>(url, "eth_getTransactionReceipt", [hash])
    if (receipt !== null) return receipt
    yield* Effect.sleep(pollMillis)
  }
  return yield* Effect.fail(new Error("A transaction was not mined."))
})

type Mine = Effect.Effect<void, Rpc.RpcFailure>

/** Sends the transactions, the last three in one block, and waits until they are mined; returns their number. */
export const send = Effect.fnUntraced(function* (
  url: string,
  chainId: number,
  waiting: Waiting,
  mine: Mine = Effect.void,
) {
  yield* mine
  const first = Number(yield* Rpc.call<string>(url, "eth_getTransactionCount", [account.address, "latest"]))
  const contract = getContractAddress({ from: account.address, nonce: BigInt(first) })
  const stranger = "0x00000000000000000000000000000000000cafe0"
  const calls = [
    { data: creation },
    { to: stranger },
    { to: contract },
    { to: contract },
    { to: stranger },
    { to: contract },
  ]
  let nonce = first
  const sendOne = Effect.fnUntraced(function* (call: { readonly data: string } | { readonly to: string }) {
    const value = "to" in call ? 1_000n : 0n
    const transaction = { ...call, chainId, gas: 400_000n, gasPrice, nonce: nonce++, type: "legacy", value }
    const signed = yield* Effect.promise(() => account.signTransaction(transaction))
    // Some nodes reject transactions at first.
    return yield* Effect.retry(Rpc.call<string>(url, "eth_sendRawTransaction", [signed]), {
      schedule: Schedule.spaced(pollMillis).pipe(Schedule.upTo({ times: 40 })),
    })
  })
  for (const call of calls) yield* receiptOf(url, yield* sendOne(call), mine)
  yield* Effect.forEach(waiting.begin, ({ method, params }) => Rpc.call(url, method, params))
  const together = yield* Effect.forEach([1, 2, 3], () => sendOne({ to: contract }))
  yield* Effect.forEach(waiting.end, ({ method, params }) => Rpc.call(url, method, params))
  yield* Effect.forEach(together, (hash) => receiptOf(url, hash, mine))
  return calls.length + together.length
})
