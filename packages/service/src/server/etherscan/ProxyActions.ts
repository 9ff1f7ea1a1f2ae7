/**
 * The module `proxy`, and what else a node answers: balances of accounts and of tokens.
 *
 * Source: decisions 0016 and 0070.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as NodeCalls from "./NodeCalls.ts"
import * as Parameters from "./Parameters.ts"

type Calls = NodeCalls.NodeCalls

type Params = (parameters: Parameters.Parameters) => ReadonlyArray<unknown>

const tagOf = (parameters: Parameters.Parameters): string => parameters.get("tag") ?? "latest"

const isTrue = (parameters: Parameters.Parameters, name: string): boolean =>
  parameters.get(name)?.toLowerCase() === "true"

/** Fields of a call by the names of their parameters in lower case. */
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

/** Parameters of the methods; those that are missing are refused by the relay, which names them. */
const methods: Readonly<Record<string, Params>> = {
  eth_blockNumber: () => [],
  eth_gasPrice: () => [],
  eth_getBlockByNumber: (sent) => [tagOf(sent), isTrue(sent, "boolean")],
  eth_getBlockTransactionCountByNumber: (sent) => [tagOf(sent)],
  eth_getUncleByBlockNumberAndIndex: (sent) => [tagOf(sent), sent.get("index")],
  eth_getTransactionByBlockNumberAndIndex: (sent) => [tagOf(sent), sent.get("index")],
  eth_getTransactionByHash: (sent) => [sent.get("txhash")],
  eth_getTransactionReceipt: (sent) => [sent.get("txhash")],
  eth_getTransactionCount: (sent) => [sent.get("address"), tagOf(sent)],
  eth_getCode: (sent) => [sent.get("address"), tagOf(sent)],
  eth_getStorageAt: (sent) => [sent.get("address"), sent.get("position"), tagOf(sent)],
  eth_call: (sent) => [callOf(sent), tagOf(sent)],
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

/** An amount of a node, as decimal text. */
const amountOf = (value: unknown): Effect.Effect<string, Envelope.Refused> =>
  typeof value === "string" && /^0x[\da-f]{1,64}$/i.test(value)
    ? Effect.succeed(BigInt(value).toString())
    : Effect.fail(NodeCalls.unreadable("an amount"))

const balanceOf = (calls: Calls, request: Request, address: string) =>
  Effect.flatMap(calls.read(request, "eth_getBalance", [address, tagOf(request.parameters)]), amountOf)

/** Most accounts of one request. */
const maxAccounts = 20

const balances = (calls: Calls): Action["answer"] =>
  Effect.fnUntraced(function* (request) {
    const texts = (request.parameters.get("address") ?? "").split(",")
    if (texts.length > maxAccounts) return yield* Envelope.invalid("address", `at most ${maxAccounts} addresses`)
    const accounts = yield* Effect.fromResult(Result.all(texts.map(Parameters.addressOf)))
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

const balanceOfSelector = "0x70a08231"
const totalSupplySelector = "0x18160ddd"

/** The amount that a call of a token answers. */
const tokenAmount = Effect.fnUntraced(function* (calls: Calls, request: Request, data: string) {
  const to = yield* Effect.fromResult(Parameters.address(request.parameters, "contractaddress"))
  return Envelope.ofResult(
    yield* amountOf(yield* calls.read(request, "eth_call", [{ to, data }, tagOf(request.parameters)])),
  )
})

const tokenBalance = (calls: Calls): Action["answer"] =>
  Effect.fnUntraced(function* (request) {
    const address = yield* Effect.fromResult(Parameters.address(request.parameters))
    return yield* tokenAmount(calls, request, `${balanceOfSelector}${address.slice(2).padStart(64, "0")}`)
  })

/** The actions. */
export const make = (calls: Calls): Actions => ({
  ...Object.fromEntries(
    Object.entries(methods).map(([method, params]) => [`proxy/${method.toLowerCase()}`, proxy(calls, method, params)]),
  ),
  "account/balance": { operation: "relay", answer: balance(calls) },
  "account/balancemulti": { operation: "relay", answer: balances(calls) },
  "account/tokenbalance": { operation: "relay", answer: tokenBalance(calls) },
  "stats/tokensupply": { operation: "relay", answer: (request) => tokenAmount(calls, request, totalSupplySelector) },
})
