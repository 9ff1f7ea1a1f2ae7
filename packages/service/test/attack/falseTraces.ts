/**
 * Nodes that return consistent but false traces: which of them the proof of a wallet detects, and which it cannot. Each wallet of a
 * chain has its own false trace, and receives a payment from a contract that only traces show.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FakeNode } from "@daybook/harness"
import { Effect } from "effect"
import { daybookProcess } from "../cli/daybook.ts"
import * as Rows from "../server/rows.ts"
import * as AttackedChain from "./AttackedChain.ts"
import type { Scenario } from "./Scenario.ts"

interface FlatTrace {
  readonly action: { readonly from: string; readonly to?: string; readonly value?: string }
  readonly result?: unknown
  readonly subtraces: number
  readonly traceAddress: ReadonlyArray<number>
  readonly transactionHash: string
  readonly type: string
}

type Traces = ReadonlyArray<FlatTrace>

interface FalseTrace {
  readonly name: string
  readonly wallet: string
  /** Changes the traces of a block. */
  readonly change: (traces: Traces) => Traces
  /** Added to the balance of the wallet from the block of the payment on, so that it is consistent with the traces. */
  readonly balance?: bigint
  /** The node does not support `eth_getProof` for this wallet. */
  readonly isWithoutProof?: boolean
  /** Whether a proof of this wallet detects the false trace. */
  readonly isDetected: boolean
}

const payment = 10n ** 18n
const hex = (value: bigint): string => `0x${value.toString(16)}`
const stranger = Rows.address("f")

const isPayment =
  (wallet: string) =>
  ({ action, traceAddress }: FlatTrace): boolean =>
    traceAddress.length === 1 && action.to === wallet

/** Changes the traces of the transaction that pays a wallet and leaves the others unchanged. */
const inTransactionOf =
  (wallet: string, change: (traces: Traces) => Traces) =>
  (traces: Traces): Traces => {
    const paid = traces.find(isPayment(wallet))
    if (paid === undefined) return traces
    const isSame = ({ transactionHash }: FlatTrace) => transactionHash === paid.transactionHash
    const first = traces.findIndex(isSame)
    const changed = change(traces.filter(isSame))
    return [...traces.slice(0, first), ...changed, ...traces.slice(first).filter((one) => !isSame(one))]
  }

const removePayment = (wallet: string) =>
  inTransactionOf(wallet, (traces) =>
    traces.flatMap((one) => {
      if (isPayment(wallet)(one)) return []
      return [one.traceAddress.length === 0 ? { ...one, subtraces: one.subtraces - 1 } : one]
    }),
  )

const replace = (wallet: string, action: Partial<FlatTrace["action"]>) =>
  inTransactionOf(wallet, (traces) =>
    traces.map((one) => (isPayment(wallet)(one) ? { ...one, action: { ...one.action, ...action } } : one)),
  )

/** Adds calls after the payment. */
const add = (wallet: string, actions: ReadonlyArray<FlatTrace["action"]>) =>
  inTransactionOf(wallet, (traces) => {
    const paid = traces.find(isPayment(wallet))!
    const added = actions.map((action, at) => ({
      ...paid,
      action: { ...paid.action, ...action },
      traceAddress: [paid.traceAddress[0]! + 1 + at],
    }))
    const rest = traces.map((one) =>
      one.traceAddress.length === 0 ? { ...one, subtraces: one.subtraces + added.length } : one,
    )
    return [...rest, ...added]
  })

const walletOf = (at: number): string => `0x${(0xa0_00 + at).toString(16).padStart(40, "0")}`

const falseTraceOf = (
  at: number,
  name: string,
  isDetected: boolean,
  more: (wallet: string) => Partial<FalseTrace>,
): FalseTrace => {
  const wallet = walletOf(at)
  return { name, wallet, isDetected, change: (traces) => traces, ...more(wallet) }
}

const out = (wallet: string): FlatTrace["action"] => ({ from: wallet, to: stranger, value: hex(5n) })
const back = (wallet: string): FlatTrace["action"] => ({ from: stranger, to: wallet, value: hex(5n) })

const falseTraces: ReadonlyArray<FalseTrace> = [
  falseTraceOf(0, "none", false, () => ({})),
  falseTraceOf(1, "a payment hidden", true, (wallet) => ({ change: removePayment(wallet) })),
  falseTraceOf(2, "another amount", true, (wallet) => ({ change: replace(wallet, { value: hex(payment + 1n) }) })),
  falseTraceOf(3, "another recipient", true, (wallet) => ({ change: replace(wallet, { to: stranger }) })),
  falseTraceOf(4, "a fabricated payment", true, (wallet) => ({ change: add(wallet, [out(wallet)]) })),
  falseTraceOf(5, "a payment hidden, and in the balance", true, (wallet) => ({
    change: removePayment(wallet),
    balance: -payment,
  })),
  falseTraceOf(6, "the same without state proofs", false, (wallet) => ({
    change: removePayment(wallet),
    balance: -payment,
    isWithoutProof: true,
  })),
  falseTraceOf(7, "fabricated payments that cancel out", false, (wallet) => ({
    change: add(wallet, [out(wallet), back(wallet)]),
  })),
  falseTraceOf(8, "a fabricated call without value", false, (wallet) => ({
    change: add(wallet, [{ from: stranger, to: wallet, value: "0x0" }]),
  })),
]

/** Code that sends its value to the address in its input. */
const forwarder = "6000600060006000346000355af100"

/** A proxy of another node that returns false traces. */
const startFalseNode = async (url: string, from: bigint) =>
  await FakeNode.start(async (call) => {
    const { method, params } = call
    if (method.startsWith("debug_") || (method.startsWith("trace_") && method !== "trace_block"))
      return FakeNode.missing
    const falseTrace = falseTraces.find(({ wallet }) => wallet === params[0])
    if (method === "eth_getProof" && falseTrace?.isWithoutProof === true) return FakeNode.missing
    const reply = await FakeNode.forward(url, call)
    if (!("result" in reply)) return reply
    if (method === "trace_block") {
      // Sound: anvil returns a list of traces.
      return { result: falseTraces.reduce((traces, { change }) => change(traces), reply.result as Traces) }
    }
    const isAfter = typeof params[1] !== "string" || !params[1].startsWith("0x") || BigInt(params[1]) >= from
    if (method !== "eth_getBalance" || falseTrace?.balance === undefined || !isAfter) return reply
    return { result: hex(BigInt(reply.result as string) + falseTrace.balance) }
  })

interface Verdict {
  readonly address: string
  readonly proved: boolean
  readonly differences: ReadonlyArray<{ readonly first_block: number | null }>
  readonly by_state_root: ReadonlyArray<string>
}

const verdictsOf = (out: string): ReadonlyArray<Verdict> =>
  out
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Verdict)

let chain: AttackedChain.AttackedChain | undefined
let falseNode: Awaited<ReturnType<typeof startFalseNode>> | undefined

/** A node that returns false traces. */
export const scenario: Scenario = {
  name: "a node with consistent false traces",
  bound: "balances at a final block, and its state root",
  service: async () => {
    const started = await AttackedChain.start()
    chain = started
    const { account: from, call } = started
    const init = `0x61${(forwarder.length / 2).toString(16).padStart(4, "0")}80600c6000396000f3${forwarder}`
    await call("eth_sendTransaction", [{ from, data: init, gas: "0x100000" }])
    await call("evm_mine")
    const { contractAddress } = await call<{ contractAddress: string }>("eth_getTransactionReceipt", [
      (await call<{ transactions: ReadonlyArray<string> }>("eth_getBlockByNumber", ["0x1", false])).transactions[0],
    ])
    for (const { wallet } of falseTraces) {
      const data = `0x${wallet.slice(2).padStart(64, "0")}`
      await call("eth_sendTransaction", [{ from, to: contractAddress, data, value: hex(payment), gas: "0x100000" }])
    }
    await call("evm_mine")
    await call("anvil_mine", ["0x50"])
    falseNode = await startFalseNode(started.url, 2n)
    return {
      config: { chains: { attack: { id: 31_337, rpc: [falseNode.url], pollMillis: 200, finalityBlocks: 8 } } },
      role: "all",
      close: async () => {
        await falseNode!.stop()
        await started.close()
      },
    }
  },
  run: async (attacked) => {
    const { last, reached } = await AttackedChain.indexed(attacked.url, 82, 60)
    if (!reached) return { behaviour: "not indexed", faults: [`not indexed: ${last.state}, ${last.message}`] }
    const faults: Array<string> = []
    const wallets = falseTraces.map(({ wallet }) => wallet)
    const reconciled = await Effect.runPromise(
      daybookProcess(attacked.folder, "reconcile", ...wallets, "--chain", "attack", "--json"),
    )
    const verdicts = verdictsOf(reconciled.out)
    if (verdicts.length !== falseTraces.length)
      faults.push(`reconcile: ${reconciled.code} ${reconciled.err.slice(0, 300)}`)
    if (reconciled.code !== 1) faults.push(`reconcile ends with ${reconciled.code}`)
    const lines: Array<string> = []
    for (const { isDetected, name, wallet } of falseTraces) {
      const verdict = verdicts.find(({ address }) => address === wallet)
      const detected = verdict?.proved === false
      if (detected !== isDetected)
        faults.push(`${name}: ${detected ? "detected" : "not detected"}: ${JSON.stringify(verdict)}`)
      lines.push(`${name}: ${detected ? "detected" : "not detected"}`)
    }
    const correctConfig = join(attacked.folder, "correct.json")
    const config = JSON.parse(readFileSync(join(attacked.folder, "daybook.json"), "utf8")) as {
      chains: { attack: object }
    }
    writeFileSync(
      correctConfig,
      JSON.stringify({ ...config, chains: { attack: { ...config.chains.attack, rpc: [chain!.url] } } }),
    )
    const compared = await Effect.runPromise(
      daybookProcess(attacked.folder, "verify", "--against-node", "--config", correctConfig),
    )
    const differences = /(\d+) differences?/.exec(compared.out)?.[1] ?? "no"
    // All wallets but the one with correct traces.
    if (Number(differences) !== falseTraces.length - 1) faults.push(`against another node: ${compared.out.slice(-400)}`)
    return { behaviour: `${lines.join("; ")}; another node shows ${differences} differences`, faults }
  },
}
