import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Log from "../src/Log.ts"
import * as Receipt from "../src/Receipt.ts"
import * as UserOperation from "../src/UserOperation.ts"

const { accountDeployed, postOperationRevertReason, prefundTooLow, revertReason, userOperation } = UserOperation.topics
const word = (value: bigint | number) => value.toString(16).padStart(64, "0")
const words = (...values: ReadonlyArray<bigint | number>) => `0x${values.map(word).join("")}`
const addressOf = (value: bigint | number) => `0x${value.toString(16).padStart(40, "0")}`
const entryPoint = "0x0000000071727de22e5e9d8baf0edac6f37da032"

const log = (topics: ReadonlyArray<string>, data = "0x", address = entryPoint) => ({ address, topics, data })

/** The data of an event with a nonce and bytes. */
const reasonData = (nonce: bigint, bytes: string): string => {
  const digits = bytes.slice(2)
  const padded = digits.padEnd(Math.ceil(digits.length / 64) * 64, "0")
  return `${words(nonce, 64, digits.length / 2)}${padded}`
}

const Bits = (bits: number) =>
  Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** BigInt(bits) - 1n }))
const Bytes = Schema.Array(Schema.Literals(["00", "08", "c3", "79", "a0", "ff"])).check(Schema.isMaxLength(70))
const Reason = Schema.NullOr(Bytes)

/** An operation, the unrelated log before it, and whether the entry point is known. */
const Given = Schema.Struct({
  sender: Bits(160),
  paymaster: Bits(160),
  factory: Schema.NullOr(Bits(160)),
  nonce: Bits(256),
  isSuccess: Schema.Boolean,
  cost: Bits(256),
  gas: Bits(256),
  reason: Reason,
  postReason: Reason,
  isPrefundTooLow: Schema.Boolean,
  isKnown: Schema.Boolean,
  hasOther: Schema.Boolean,
})

const textOf = (bytes: ReadonlyArray<string> | null) => (bytes === null ? null : `0x${bytes.join("")}`)

/** The logs of an operation as an entry point emits them, and what is read from them. */
const written = (given: typeof Given.Type, at: number) => {
  const address = given.isKnown ? entryPoint : addressOf(at + 1)
  const parties = [words(at + 1), words(given.sender)]
  const [reason, postReason] = [textOf(given.reason), textOf(given.postReason)]
  const { cost, factory, gas, isPrefundTooLow, isSuccess, nonce, paymaster, sender } = given
  const logs = [
    ...(given.hasOther
      ? [log([revertReason, words(at + 999), words(sender)], reasonData(nonce, "0x1234"), address)]
      : []),
    ...(factory === null ? [] : [log([accountDeployed, ...parties], words(factory, paymaster), address)]),
    ...(reason === null ? [] : [log([revertReason, ...parties], reasonData(nonce, reason), address)]),
    ...(postReason === null
      ? []
      : [log([postOperationRevertReason, ...parties], reasonData(nonce, postReason), address)]),
    ...(isPrefundTooLow ? [log([prefundTooLow, ...parties], words(nonce), address)] : []),
    log([userOperation, ...parties, words(paymaster)], words(nonce, isSuccess ? 1 : 0, cost, gas), address),
  ]
  const operation = {
    hash: words(at + 1),
    sender: addressOf(sender),
    paymaster: paymaster === 0n ? null : addressOf(paymaster),
    factory: factory === null ? null : addressOf(factory),
    nonce,
    isSuccess,
    actualGasCost: cost,
    actualGasUsed: gas,
    revertReason: reason,
    postOperationRevertReason: postReason,
    isPrefundTooLow,
    entryPoint: address,
  }
  return { logs, operation }
}

describe("UserOperation", () => {
  it.prop(
    "fromLogs: reads the operations that an entry point logged, in order, each with only its own events",
    [Schema.Array(Given).check(Schema.isMaxLength(6))],
    ([given]) => {
      const all = given.map(written)
      const found = UserOperation.fromLogs(all.flatMap(({ logs }) => logs))

      const logs = all.flatMap((one) => one.logs)
      expect(found).toEqual(all.map(({ operation }) => ({ ...operation, position: expect.any(Number) })))
      for (const { position } of found) expect(logs[position]!.topics[0]).toBe(userOperation)
    },
  )

  it("fromLogs: reads an operation of Polygon's block 50,000,000", () => {
    const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    const nonce = 0x6d45dbc8ed5ab747e408ffbb1b13457f03613e8bc36366fb0000000000000000n
    const logs = [
      log(["0xbb47ee3e183a558b1a2ff0874b079f3fc5478b7454eacf2bfc5af2ff5878f972"]),
      log([transfer, words(0xa1694d405592899feca5ffae2a684f3e26da17bdn), words(1)], words(10n ** 18n), addressOf(7)),
      log(
        [
          userOperation,
          "0x46f07b17f02ed60ff5b0169432a66fffeeadfd86e2d10093807fa3363b4f6632",
          words(0xa1694d405592899feca5ffae2a684f3e26da17bdn),
          words(0xe3dc822d77f8ca7ac74c30b0dffea9fcdcaaa321n),
        ],
        words(nonce, 1, 0x64c816ea46df86n, 0x26f0e),
        "0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789",
      ),
    ]

    expect(UserOperation.fromLogs(logs)).toEqual([
      {
        hash: "0x46f07b17f02ed60ff5b0169432a66fffeeadfd86e2d10093807fa3363b4f6632",
        sender: "0xa1694d405592899feca5ffae2a684f3e26da17bd",
        paymaster: "0xe3dc822d77f8ca7ac74c30b0dffea9fcdcaaa321",
        factory: null,
        nonce,
        isSuccess: true,
        actualGasCost: 28_367_498_416_414_598n,
        actualGasUsed: 159_502n,
        revertReason: null,
        postOperationRevertReason: null,
        isPrefundTooLow: false,
        entryPoint: "0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789",
        position: 2,
      },
    ])
    expect(UserOperation.entryPoints["0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789"]).toBe("0.6")
  })

  it("fromLogs: reads no operation from a log of another form", () => {
    const [hash, sender] = [words(9), words(5)]
    const whole = [userOperation, hash, sender, words(0)]
    const data = words(1, 1, 2, 3)
    const padded = `0x01${"0".repeat(62)}`
    const others = [
      log(whole.slice(0, 3), data),
      log(whole, `${data}00`),
      log(whole, words(1, 1, 2)),
      log(whole, words(1, 2, 2, 3)),
      log([userOperation, hash, padded, words(0)], data),
      log([userOperation, hash, sender, padded], data),
      log([userOperation], data),
    ]

    expect(UserOperation.fromLogs(others)).toEqual([])
    expect(UserOperation.fromLogs([log(whole, data)]).length).toBe(1)
  })

  it("fromLogs: reads no reason from data that contradicts its own length", () => {
    const parties = [words(9), words(5)]
    const end = log([userOperation, ...parties, words(0)], words(1, 0, 2, 3))
    const reasonFor = (data: string) =>
      UserOperation.fromLogs([log([revertReason, ...parties], data), end])[0]?.revertReason
    const claims = [words(1), words(1, 64, 33, 0), words(1, 64, 2n ** 255n, 0), words(1, 96, 1, 0), "0x"]

    expect(claims.map(reasonFor)).toEqual(claims.map(() => null))
    expect(reasonFor(words(1, 64, 0))).toBe("0x")
    expect(reasonFor(words(1, 64, 32, 7))).toBe(words(7))
  })

  it("fromLogs: reads the events of an operation once, and none of another contract", () => {
    const parties = [words(9), words(5)]
    const end = log([userOperation, ...parties, words(0)], words(1, 0, 2, 3))
    const [reason, other] = [entryPoint, addressOf(3)].map((address) =>
      log([revertReason, ...parties], reasonData(1n, "0xabcd"), address),
    )

    expect(UserOperation.fromLogs([reason!, end, end]).map((one) => one.revertReason)).toEqual(["0xabcd", null])
    expect(UserOperation.fromLogs([other!, end])[0]?.revertReason).toBe(null)
  })

  it("userOperations: lists the operations of a wallet transaction's receipt", () => {
    const decoded = Schema.decodeUnknownSync(Receipt.Log)({
      ...log([userOperation, words(9), words(5), words(6)], words(1, 0, 2, 3)),
      transactionHash: null,
      transactionIndex: null,
      logIndex: "0x5",
    })
    const rest = Schema.decodeUnknownSync(Log.Log)({
      log_index: "5",
      transaction_hash: words(1),
      transaction_index: "0",
      address: decoded.address,
      data: decoded.data,
      ...Object.fromEntries(decoded.topics.map((topic, at) => [`topic${at}`, topic])),
      block_timestamp: "2024-01-01T00:00:00.000Z",
      block_number: "1",
      block_hash: words(2),
    })
    const found = UserOperation.userOperations({ logs: [decoded] })

    expect(found.length).toBe(1)
    expect(UserOperation.userOperations({ logs: [rest] })).toEqual(found)
  })
})
