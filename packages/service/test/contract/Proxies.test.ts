import { RpcError } from "@daybook/rpc/RpcError"
import { RateLimited } from "@daybook/transport/ClientError"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Proxies from "../../src/contract/Proxies.ts"
import type { Node } from "../../src/node/Node.ts"

const [proxy, other] = [`0x${"a1".repeat(20)}`, `0x${"b0".repeat(20)}`]
const implementation = `0x${"cd".repeat(20)}`
const slot = `0x${implementation.slice(2).padStart(64, "0")}`
const history = [
  { from: 5, address: `0x${"ef".repeat(20)}` },
  { from: 9, address: implementation },
]

const failed = (kind: RpcError["kind"]) =>
  Result.fail(
    new RpcError({
      method: "eth_getStorageAt",
      host: "127.0.0.1:8545",
      code: -32005,
      message: "limit exceeded",
      kind,
      requestId: undefined,
    }),
  )

const limited = Result.fail(new RateLimited({ host: "127.0.0.1:8545" }))

/**
 * A node on which both contracts are proxies, with its responses to storage reads of one of them, and to log searches.
 */
const nodeOf = (storage: unknown, logs: unknown): Pick<Node, "batch"> => ({
  batch: (calls) =>
    Effect.succeed(
      calls.map(({ method, params }) => {
        if (method === "eth_getLogs") return logs
        if (method === "eth_getCode") return Result.succeed("0x60")
        return (params as ReadonlyArray<unknown>)[0] === proxy ? storage : Result.succeed(slot)
      }) as Effect.Success<ReturnType<Node["batch"]>>,
    ),
})

const addressOf = (byte: string) => `0x${byte.repeat(20)}`
const wordOf = (address: string) => `0x${address.slice(2).padStart(64, "0")}`
const zero = addressOf("00")
/** Topic of Upgraded(address), and the slot of an implementation by EIP-1967. */
const upgraded = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b"
const implementationSlot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn

type Words = Readonly<Record<string, string>>

/** A chain whose accounts have these codes and slots. Its requests are the methods of their calls, each with the account that it is about. */
const chainOf = (state: {
  readonly codes: Words
  readonly slots: Words
  readonly beacons: Words
  readonly answers: Readonly<Record<string, unknown>>
  readonly logs: ReadonlyArray<object>
}) => {
  const requests: Array<ReadonlyArray<readonly [method: string, account: unknown]>> = []
  const accountOf = (parameter: unknown): unknown =>
    typeof parameter === "string" ? parameter : (Object(parameter).to ?? Object(parameter).address)
  const answerOf = (method: string, account: string, slot: unknown): unknown => {
    if (method === "eth_getLogs") return Result.succeed(state.logs)
    if (method === "eth_call") return state.answers[account]
    if (method === "eth_getCode") return Result.succeed(state.codes[account] ?? "0x")
    return Result.succeed((slot === implementationSlot ? state.slots : state.beacons)[account] ?? wordOf(zero))
  }
  const batch: Node["batch"] = (calls) => {
    const asked = calls.map(({ method, params }) => [method, accountOf(params?.[0]), params?.[1]] as const)
    requests.push(asked.map(([method, account]) => [method, account]))
    const answers = asked.map(([method, account, slot]) => answerOf(method, String(account), slot))
    // Sound: nothing else is read of a result.
    return Effect.succeed(answers as Effect.Success<ReturnType<Node["batch"]>>)
  }
  return { batch, requests }
}

const contracts = [proxy, other].map((address) => ({ address, implementations: history }))

describe("Proxies", () => {
  it.effect.each([limited, failed("notFound"), failed("pruned")])(
    "read: omits a contract whose storage the node did not return: %s",
    (failure) =>
      Effect.gen(function* () {
        const found = yield* Proxies.read(nodeOf(failure, Result.succeed([])), contracts, 1)

        expect([...found.keys()]).toEqual([other])
      }),
  )

  it.effect("read: returns no implementation if the node does not have the method", () =>
    Effect.gen(function* () {
      const found = yield* Proxies.read(nodeOf(failed("methodUnsupported"), Result.succeed([])), contracts, 1)

      expect(found.get(proxy)).toEqual([])
    }),
  )

  it.effect("read: keeps the known upgrades if the node does not return logs", () =>
    Effect.gen(function* () {
      const found = yield* Proxies.read(nodeOf(Result.succeed(slot), failed("tooLarge")), contracts, 1)

      expect(found.get(proxy)).toEqual(history)
    }),
  )

  it.effect("read: returns the implementations of each kind of proxy, by what it or its beacon announced", () =>
    Effect.gen(function* () {
      const [first, second] = ["11", "22"].map(addressOf) as [string, string]
      const [beacon, emptyBeacon, failingBeacon, limitedBeacon] = ["b1", "b2", "b3", "b4"].map(addressOf) as [
        string,
        string,
        string,
        string,
      ]
      const minimal = (address: string) => `363d3d373d3d3d363d73${address.slice(2)}5af43d82803e903d91602b57fd5bf3`
      const upgrade = (address: string, blockNumber: bigint, to: string | undefined) => {
        return { address, blockNumber, topics: [upgraded, ...(to === undefined ? [] : [wordOf(to)])] }
      }
      const node = chainOf({
        codes: {
          [addressOf("01")]: `0x${minimal(first)}`,
          [addressOf("02")]: `0x3d602d80600a3d3981f3${minimal(second)}`,
          [addressOf("03")]: `0x00${minimal(first)}`,
        },
        slots: {
          [addressOf("04")]: wordOf(second).replaceAll("2", "C"),
          [addressOf("05")]: wordOf(second),
          [addressOf("06")]: wordOf(second),
          [addressOf("0a")]: wordOf(second),
        },
        beacons: {
          [addressOf("06")]: wordOf(beacon),
          [addressOf("07")]: wordOf(beacon),
          [addressOf("08")]: wordOf(beacon),
          [addressOf("09")]: wordOf(emptyBeacon),
          [addressOf("0a")]: wordOf(emptyBeacon),
          [addressOf("0b")]: wordOf(failingBeacon),
          [addressOf("0c")]: wordOf(limitedBeacon),
        },
        answers: {
          [beacon]: Result.succeed(wordOf(first)),
          [emptyBeacon]: Result.succeed("0x"),
          [failingBeacon]: failed("reverted"),
          [limitedBeacon]: limited,
        },
        logs: [
          upgrade(addressOf("05"), 3n, first),
          upgrade(addressOf("05"), 7n, second),
          upgrade(addressOf("06"), 4n, second),
          upgrade(addressOf("06"), 5n, zero),
          upgrade(addressOf("06"), 6n, undefined),
          upgrade(addressOf("0a"), 7n, first),
          upgrade(beacon, 8n, first),
        ],
      })
      const [fourth, fifth, sixth, tenth] = ["04", "05", "06", "0a"].map(addressOf)
      const announcers = [fourth, fifth, sixth, beacon, emptyBeacon, tenth, failingBeacon]
      const asked = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "0a", "0b", "0c"].map(addressOf)
      const found = yield* Proxies.read(
        node,
        [null, ...asked].map((address) => ({ address, implementations: [] })),
        9,
      )

      expect(Object.fromEntries(found)).toEqual({
        [addressOf("01")]: [{ from: 0, address: first }],
        [addressOf("02")]: [{ from: 0, address: second }],
        [addressOf("03")]: [],
        [addressOf("04")]: [{ from: 0, address: addressOf("cc") }],
        [addressOf("05")]: [
          { from: 3, address: first },
          { from: 7, address: second },
        ],
        [addressOf("06")]: [{ from: 4, address: second }],
        [addressOf("07")]: [{ from: 8, address: first }],
        [addressOf("08")]: [{ from: 8, address: first }],
        [addressOf("09")]: [],
        [addressOf("0a")]: [{ from: 0, address: second }],
        [addressOf("0b")]: [],
      })
      expect(node.requests).toEqual([
        asked.flatMap((address) => [["eth_getCode", address], ...[0, 1].map(() => ["eth_getStorageAt", address])]),
        [beacon, emptyBeacon, failingBeacon, limitedBeacon].map((address) => ["eth_call", address]),
        [["eth_getLogs", announcers]],
      ])
    }),
  )

  it.effect("read: requests no beacon and no logs for contracts that cannot be upgraded", () =>
    Effect.gen(function* () {
      const codes = { [proxy]: `0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3` }
      const node = chainOf({ codes, slots: {}, beacons: {}, answers: {}, logs: [] })
      const found = yield* Proxies.read(node, contracts, 1)

      expect(Object.fromEntries(found)).toEqual({ [proxy]: history, [other]: [] })
      expect(node.requests.flat().map(([method]) => method)).toEqual(
        [proxy, other].flatMap(() => ["eth_getCode", "eth_getStorageAt", "eth_getStorageAt"]),
      )
    }),
  )

  it.effect("read: omits contracts for which a response has no result", () =>
    Effect.gen(function* () {
      // Sound: the test is about a missing result.
      const node: Pick<Node, "batch"> = { batch: (calls) => Effect.succeed(calls.map(() => undefined as never)) }

      expect((yield* Proxies.read(node, contracts, 1)).size).toBe(0)
    }),
  )

  it.effect(
    "readCodes: returns the codes of contracts, and none for one that was not received or is not a string",
    () =>
      Effect.gen(function* () {
        const codes = [Result.succeed("0x60"), failed("pruned"), Result.succeed(null), Result.succeed("0x")]
        const node: Pick<Node, "batch"> = {
          batch: () => Effect.succeed(codes),
        }

        expect(yield* Proxies.readCodes(node, ["1", "2", "3", "4"], 1)).toEqual(["0x60", undefined, undefined, "0x"])
        expect(yield* Proxies.readCodes(node, [], 1)).toEqual([])
      }),
  )

  it.effect("read: returns a proxy's current implementation for all blocks if no upgrade leads to it", () =>
    Effect.gen(function* () {
      const known = [{ address: proxy, implementations: [{ from: 5, address: other }] }]
      const found = yield* Proxies.read(nodeOf(Result.succeed(slot), failed("tooLarge")), known, 1)

      expect(found.get(proxy)).toEqual([{ from: 0, address: implementation }])
    }),
  )

  it.effect.each([null, 1, "implementation", `${wordOf(implementation)}zz`, [wordOf(implementation)]])(
    "read: reads no address from a word that is not hex: %o",
    (word) =>
      Effect.gen(function* () {
        const known = [{ address: proxy, implementations: [] }]
        const found = yield* Proxies.read(nodeOf(Result.succeed(word), Result.succeed([])), known, 1)

        expect(found.get(proxy)).toEqual([])
      }),
  )
})
