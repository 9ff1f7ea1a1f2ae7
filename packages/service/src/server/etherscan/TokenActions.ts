/**
 * Tokens: their supplies, from the state at a node, and their self-descriptions, as far as the index has read them.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Lists from "./Lists.ts"
import type { NodeCalls } from "./NodeCalls.ts"
import * as Parameters from "./Parameters.ts"
import * as StateCalls from "./StateCalls.ts"
import * as HexQuantity from "../../node/HexQuantity.ts"

type Handler = Action["answer"]

const tokenOf = ({ parameters }: Request) => Effect.fromResult(Parameters.address(parameters, "contractaddress"))

const supply = (calls: NodeCalls): Handler =>
  Effect.fnUntraced(function* (request) {
    const token = yield* tokenOf(request)
    const tag = Parameters.tag(request.parameters)
    return Envelope.ofResult(String(yield* StateCalls.supply(calls, request, token, tag)))
  })

const supplyHistory = (calls: NodeCalls): Handler =>
  Effect.fnUntraced(function* (request) {
    const token = yield* tokenOf(request)
    const block = yield* Effect.fromResult(Parameters.required(request.parameters, "blockno"))
    return Envelope.ofResult(String(yield* StateCalls.supply(calls, request, token, HexQuantity.of(block))))
  })

/** Facts about a token that only directories know, not its contract. */
const unknownTexts = Object.fromEntries(
  [
    "blueCheckmark",
    "description",
    "website",
    "email",
    "blog",
    "reddit",
    "slack",
    "facebook",
    "twitter",
    "bitcointalk",
    "github",
    "telegram",
    "wechat",
    "linkedin",
    "discord",
    "whitepaper",
    "tokenPriceUSD",
    "image",
  ].map((name) => [name, ""]),
)

const info = (calls: NodeCalls): Handler =>
  Effect.fnUntraced(function* (request) {
    const token = yield* tokenOf(request)
    const known = yield* request.chain.reader
      .snapshot((snapshot) => snapshot.tokens([token]))
      .pipe(Effect.catch(Lists.refusalOf))
    const metadata = known.get(token)
    if (metadata === undefined) return yield* Envelope.notIndexed(`the token ${token} of ${request.chain.name}`)
    const { decimals, name, symbol } = metadata
    return Envelope.ofResult([
      {
        contractAddress: token,
        tokenName: name ?? "",
        symbol: symbol ?? "",
        divisor: String(decimals ?? ""),
        tokenType: "",
        totalSupply: String(yield* StateCalls.supply(calls, request, token, "latest")),
        ...unknownTexts,
      },
    ])
  })

/** The actions. */
export const make = (calls: NodeCalls): Actions => ({
  "stats/tokensupply": { operation: "relay", answer: supply(calls) },
  "stats/tokensupplyhistory": { operation: "relay", answer: supplyHistory(calls) },
  "token/tokeninfo": { operation: "relay", answer: info(calls) },
})
