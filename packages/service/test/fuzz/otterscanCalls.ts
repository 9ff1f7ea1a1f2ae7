/** Calls of Otterscan's methods with arbitrary parameters, and the required response to each. */
import { Effect } from "effect"
import { methods } from "../../src/server/otterscan/Otterscan.ts"
import * as Rows from "../server/rows.ts"
import type { Started } from "../server/service.ts"

/** A seeded generator of numbers in [0, 1). */
export const random = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const hash = Rows.blockHash(1)

const values: ReadonlyArray<unknown> = [
  null,
  true,
  "",
  "latest",
  "0x",
  "0x0",
  "0x1",
  "0x01",
  "-0x1",
  "1",
  "0xzz",
  `0x${"f".repeat(64)}`,
  "f".repeat(20_000),
  0,
  1,
  -1,
  1.5,
  25,
  26,
  1e21,
  Number.MAX_SAFE_INTEGER,
  Rows.alice,
  Rows.alice.toUpperCase(),
  Rows.alice.slice(2),
  `${Rows.alice}00`,
  hash,
  hash.slice(0, -2),
  [],
  [[[[[[]]]]]],
  {},
  { __proto__: null, toString: 1 },
  { blockHash: hash },
  "\u0000\u202e",
]

/** Names of the methods. */
export const names = [...methods.keys()]

/** Makes calls of methods, or of similar unknown names, with arbitrary parameters. */
const makeCall = (next: () => number) => {
  const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(next() * list.length)]!
  return (id: number) => {
    const method = next() < 0.05 ? pick([...names].map((name) => `${name}x`)) : pick(names)
    const params = next() < 0.02 ? pick(values) : Array.from({ length: Math.floor(next() * 5) }, () => pick(values))
    return { jsonrpc: "2.0", id, method, params }
  }
}

const batchSize = 100

/** Codes of errors that blame the call, the index or the node. */
export const codes = new Set([-32_600, -32_601, -32_602, -32_000, -32_002, -32_003])

/** Sends calls in batches; returns the number of results, and the calls without a response of their own. */
export const send = Effect.fnUntraced(function* ({ call }: Started, key: string, count: number, seed: number) {
  const make = makeCall(random(seed))
  const failures: Array<string> = []
  let results = 0
  for (let at = 0; at < count; at += batchSize) {
    const calls = Array.from({ length: batchSize }, (_, id) => make(id))
    const { json, status } = yield* call(calls, "eth", key)
    if (status !== 200 || json?.length !== batchSize) {
      failures.push(`${status} ${JSON.stringify(json)?.slice(0, 200)}`)
      continue
    }
    for (const [index, { error, id, result }] of json.entries()) {
      if (result !== undefined) results++
      else if (typeof error.message !== "string" || !codes.has(error.code)) {
        const sent = calls.find((one) => one.id === id) ?? calls[index]
        failures.push(`${JSON.stringify(sent)} ${JSON.stringify(error)}`.slice(0, 400))
      }
    }
  }
  return { results, failures }
})
