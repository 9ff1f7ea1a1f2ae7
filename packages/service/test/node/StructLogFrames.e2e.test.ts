/**
 * Frames of struct logs on the scenario chain and of random programs: equal to those of the node's own call tracer.
 * `DAYBOOK_SEED` and `DAYBOOK_PROGRAMS` choose other programs, and their number; `DAYBOOK_RECORD` records them for a
 * test without a node.
 */
import { layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as Random from "@daybook/testkit/internal/Random"
import * as Trace from "@daybook/schema/Trace"
import * as InternalTransactions from "../../src/block/InternalTransactions.ts"
import * as StructLog from "../../src/node/StructLog.ts"
import * as StructLogFrames from "../../src/node/StructLogFrames.ts"
import * as programs from "./evmPrograms.ts"
import * as recordedStructLogs from "./recordedStructLogs.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const options = { extraArguments: ["--steps-tracing", "--code-size-limit", "24576"] }
const scenario = Scenario.layer({ blobs: false, blocks: 8 }).pipe(Layer.provideMerge(Anvil.layer(options)))

interface Wire {
  readonly [key: string]: string | null
}

const decodeFrame = Schema.decodeUnknownSync(Trace.CallFrame)

/** A transaction with its steps. */
const tracedOf = Effect.fnUntraced(function* (node: Anvil.Node, hash: string) {
  const wire = yield* node.call<Wire>("eth_getTransactionByHash", [hash])
  const receipt = yield* node.call<Wire>("eth_getTransactionReceipt", [hash])
  const transaction: StructLogFrames.Transaction = {
    from: wire["from"]!,
    to: wire["to"] ?? null,
    value: BigInt(wire["value"]!),
    input: wire["input"]!,
    gasUsed: BigInt(receipt["gasUsed"]!),
    contractAddress: receipt["contractAddress"] ?? null,
    accessGas: 100_000n,
  }
  const logs = yield* node.call("debug_traceTransaction", [hash, StructLog.options])
  return { transaction, logs: Result.getOrThrow(StructLog.parse(logs)) } satisfies StructLogFrames.Traced
})

const isPrecompile = ({ to }: InternalTransactions.InternalTransactionWire) => /^0x0{36}0[01]../.test(to ?? "")

/** Rows of the transactions of a block from the node's call tracer, and from their steps. */
const rowsOf = Effect.fnUntraced(function* (node: Anvil.Node, number: number) {
  const { transactions } = yield* node.call<{ readonly transactions: ReadonlyArray<string> }>("eth_getBlockByNumber", [
    `0x${number.toString(16)}`,
    false,
  ])
  const traced = yield* Effect.forEach(transactions, (hash) => tracedOf(node, hash))
  const state = new Map<string, bigint>()
  for (const { address, kind } of StructLogFrames.stateNeeded(traced)) {
    const method = kind === "balance" ? "eth_getBalance" : "eth_getTransactionCount"
    const before = [address, `0x${(number - 1).toString(16)}`]
    state.set(`${kind} ${address}`, BigInt(yield* node.call<string>(method, before)))
  }
  const found = Result.getOrThrow(
    StructLogFrames.ofBlock(traced, ({ address, kind }) => state.get(`${kind} ${address}`)!),
  )
  const expected = yield* Effect.forEach(transactions, (hash) =>
    Effect.map(node.call("debug_traceTransaction", [hash, { tracer: "callTracer" }]), (frame) => decodeFrame(frame)),
  )
  const block = {
    number: 1n,
    hash: "0x",
    transactions: transactions.map((hash) => ({ hash })),
  } as unknown as InternalTransactions.TracedBlock
  const rows = (frames: ReadonlyArray<Trace.CallFrame>) =>
    Result.getOrThrow(
      InternalTransactions.fromFrames(
        block,
        frames.map((result) => ({ result })),
        { allFrames: true },
      ),
    ).map((list) => (InternalTransactions.isUntraced(list) ? [] : list))
  // Only what the caller copied is known of a precompiled contract.
  const cut = (remote: ReturnType<typeof rows>, own: ReturnType<typeof rows>) =>
    remote.map((list, at) =>
      list.map((row, index) => {
        const copied = own[at]?.[index]?.output ?? ""
        return isPrecompile(row) && row.output?.startsWith(copied) === true ? { ...row, output: copied } : row
      }),
    )
  const own = rows(found)
  return { expected: cut(rows(expected), own), found: own, recorded: { traced, state: [...state], frames: found } }
})

layer(scenario, { excludeTestServices: true })("StructLogFrames", (it) => {
  it.effect("ofBlock: returns the frames of the call tracer for every transaction of the scenario", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const { lastBlock } = yield* Scenario.Scenario
      for (let number = 1; number <= lastBlock; number++) {
        const { expected, found } = yield* rowsOf(node, number)

        expect([number, found]).toEqual([number, expected])
      }
    }),
  )

  it.effect("ofBlock: returns the frames of the call tracer for random programs", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const [from = ""] = node.accounts
      const seed = Number(process.env["DAYBOOK_SEED"] ?? 7)
      const random = Random.make(seed)
      const recorded: Array<recordedStructLogs.Recorded> = []
      const targets = ["0x000000000000000000000000000000000000dead", from]
      const send = Effect.fnUntraced(function* (more: object) {
        const hash = yield* node.call<string>("eth_sendTransaction", [{ from, gas: "0x1e8480", value: "0x5", ...more }])
        yield* node.call("evm_mine")
        return yield* node.call<Wire>("eth_getTransactionReceipt", [hash])
      })
      for (let count = 0; count < Number(process.env["DAYBOOK_PROGRAMS"] ?? 25); count++) {
        const code = programs.program(random, targets)
        const { contractAddress } = yield* send({ data: programs.deploying(code) })
        targets.push(contractAddress!)
        const called = yield* send({ to: contractAddress })
        const created = yield* send({ data: `0x${code}` })
        for (const { blockNumber } of [called, created]) {
          const { expected, found, ...rest } = yield* rowsOf(node, Number(blockNumber))
          recorded.push(rest.recorded)

          expect({ seed, code, rows: found }).toEqual({ seed, code, rows: expected })
        }
      }
      if (process.env["DAYBOOK_RECORD"] !== undefined) recordedStructLogs.write(recorded)
    }),
  )
})
