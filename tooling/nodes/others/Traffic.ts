/**
 * A few transactions that every node takes: transfers, a creation, and calls of a contract that calls, creates and logs. Signed here,
 * since not every node holds accounts; without newer instructions or transaction types, since not every node knows them.
 */
import { createRequire } from "node:module"
import { Effect, Schedule } from "effect"
import * as Rpc from "../../../tooling/harness/src/Rpc.ts"
import { key } from "./OtherNode.ts"

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

/** Sends the transactions and waits until they are mined; gives their number. */
export const send = Effect.fnUntraced(function* (url: string, chainId: number, mine: Mine = Effect.void) {
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
  for (const [at, call] of calls.entries()) {
    const value = "to" in call ? 1_000n : 0n
    const transaction = { ...call, chainId, gas: 400_000n, gasPrice, nonce: first + at, type: "legacy", value }
    const signed = yield* Effect.promise(() => account.signTransaction(transaction))
    // Some nodes accept none at first.
    const hash = yield* Effect.retry(Rpc.call<string>(url, "eth_sendRawTransaction", [signed]), {
      schedule: Schedule.spaced(pollMillis).pipe(Schedule.upTo({ times: 40 })),
    })
    yield* receiptOf(url, hash, mine)
  }
  return calls.length
})
