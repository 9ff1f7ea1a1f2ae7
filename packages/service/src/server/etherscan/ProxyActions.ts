/**
 * The module `proxy`, and the other results from a node: balances of accounts and tokens.
 *
 * Source: decisions 0016 and 0070.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Movement from "../../ledger/Movement.ts"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as NodeCalls from "./NodeCalls.ts"
import * as Parameters from "./Parameters.ts"
import * as StateCalls from "./StateCalls.ts"

type Calls = NodeCalls.NodeCalls

type Params = (parameters: Parameters.Parameters) => ReadonlyArray<unknown>

const isTrue = (parameters: Parameters.Parameters, name: string): boolean =>
  parameters.get(name)?.toLowerCase() === "true"

/** Fields of a call, by the lower-case names of their parameters. */
const callFields = [
  "from",
  "to",
  "data",
  "value",
  "gas",
  "gasPrice",
  "nonce",
  "maxFeePerGas",
  "maxPriorityFeePerGas",
] as const

const callOf = (parameters: Parameters.Parameters): Record<string, string> =>
  Object.fromEntries(
    callFields.flatMap((name) => {
      const value = parameters.get(name.toLowerCase())
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Parameters of the methods; the relay rejects missing ones and names them. */
const methods: Readonly<Record<string, Params>> = {
  eth_blockNumber: () => [],
  eth_gasPrice: () => [],
  eth_getBlockByNumber: (sent) => [Parameters.tag(sent), isTrue(sent, "boolean")],
  eth_getBlockTransactionCountByNumber: (sent) => [Parameters.tag(sent)],
  eth_getUncleByBlockNumberAndIndex: (sent) => [Parameters.tag(sent), sent.get("index")],
  eth_getTransactionByBlockNumberAndIndex: (sent) => [Parameters.tag(sent), sent.get("index")],
  eth_getTransactionByHash: (sent) => [sent.get("txhash")],
  eth_getTransactionReceipt: (sent) => [sent.get("txhash")],
  eth_getTransactionCount: (sent) => [sent.get("address"), Parameters.tag(sent)],
  eth_getCode: (sent) => [sent.get("address"), Parameters.tag(sent)],
  eth_getStorageAt: (sent) => [sent.get("address"), sent.get("position"), Parameters.tag(sent)],
  eth_call: (sent) => [callOf(sent), Parameters.tag(sent)],
  eth_estimateGas: (sent) => [callOf(sent)],
  eth_sendRawTransaction: (sent) => [sent.get("hex")],
}

const proxy = (calls: Calls, method: string, params: Params): Action => ({
  operation: "relay",
  answer: (request) =>
    Effect.map(calls.call(request, method, params(request.parameters)), (outcome): Envelope.ActionResult => ({
      _tag: "JsonRpc",
      bytes: NodeCalls.bytesOf(outcome),
    })),
})

const balanceOf = (calls: Calls, request: Request, wallet: string) =>
  Effect.map(
    StateCalls.balance(calls, request, { wallet, asset: Movement.native, tag: Parameters.tag(request.parameters) }),
    String,
  )

/** Maximum number of accounts in one request. */
const maxAccounts = 20

const balances = (calls: Calls): Action["answer"] =>
  Effect.fnUntraced(function* (request) {
    const texts = (request.parameters.get("address") ?? "").split(",")
    if (texts.length > maxAccounts) return yield* Envelope.invalid("address", `at most ${maxAccounts} addresses`)
    const accounts = yield* Effect.fromResult(Result.all(texts.map((text) => Parameters.addressOf(text.trim()))))
    const found = yield* Effect.forEach(accounts, (account) =>
      Effect.map(balanceOf(calls, request, account), (balance) => ({ account, balance })),
    )
    return Envelope.ofResult(found)
  })

const balance = (calls: Calls): Action["answer"] => {
  const many = balances(calls)
  return Effect.fnUntraced(function* (request) {
    if (request.parameters.get("address")?.includes(",") === true) return yield* many(request)
    const address = yield* Effect.fromResult(Parameters.address(request.parameters))
    return Envelope.ofResult(yield* balanceOf(calls, request, address))
  })
}

const tokenBalance = (calls: Calls): Action["answer"] =>
  Effect.fnUntraced(function* (request) {
    const { parameters } = request
    const wallet = yield* Effect.fromResult(Parameters.address(parameters))
    const asset = yield* Effect.fromResult(Parameters.address(parameters, "contractaddress"))
    const found = yield* StateCalls.balance(calls, request, { wallet, asset, tag: Parameters.tag(parameters) })
    return Envelope.ofResult(String(found))
  })

/** The actions. */
export const make = (calls: Calls): Actions => ({
  ...Object.fromEntries(
    Object.entries(methods).map(([method, params]) => [`proxy/${method.toLowerCase()}`, proxy(calls, method, params)]),
  ),
  "account/balance": { operation: "relay", answer: balance(calls) },
  "account/balancemulti": { operation: "relay", answer: balances(calls) },
  "account/tokenbalance": { operation: "relay", answer: tokenBalance(calls) },
})
