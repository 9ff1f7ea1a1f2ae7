/**
 * Statements and exports from hostile nodes: a node that fails every third request, in each way; a node that returns false results; and
 * a node with hostile token names.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Anvil, Scenario as ChainScenario } from "@daybook/chain"
import { FakeNode } from "@daybook/harness"
import { HostileNode, NodeFault } from "@daybook/hostile"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { canary, daybook, type Ended, main } from "../cli/daybook.ts"
import * as CsvReader from "../export/CsvReader.ts"
import * as Client from "./Client.ts"
import type { Scenario } from "./Scenario.ts"

const layer = ChainScenario.layer({ blobs: false, blocks: 20 }).pipe(Layer.provideMerge(Anvil.layer({ chainId: 1 })))

/** Time limit of a statement, in seconds. */
const maxSeconds = 180

/** Faults that cost a deadline each time, so that a node has them only for its first requests. */
const stalls: ReadonlySet<string> = new Set([
  "stalledHeaders",
  "stalledBody",
  "endless",
] satisfies ReadonlyArray<NodeFault.Name>)
const maxStalled = 9

const text = (value: string): string => {
  const bytes = Buffer.from(value)
  const length = bytes.length.toString(16).padStart(64, "0")
  return `0x${"20".padStart(64, "0")}${length}${bytes.toString("hex").padEnd(Math.ceil(bytes.length / 32) * 64, "0")}`
}

/** Token names that target a terminal, a spreadsheet, an accounting program or a parser. */
const names = [
  '=HYPERLINK("http://evil","x")',
  "a\r\nb,c;d\te",
  "\u001b]0;title\u0007\u202Eevil\u0085\u2028",
  '"; open Assets:Evil\n2026-01-01 * "x"',
  "x".repeat(100_000),
  "\u0000\ud800",
]

/** Changes the replies of another node. */
type Change = (call: FakeNode.Call, reply: FakeNode.Reply) => FakeNode.Reply

const changed =
  (method: string, change: (result: never) => unknown): Change =>
  (call, reply) =>
    call.method === method && "result" in reply && reply.result !== null
      ? { result: change(reply.result as never) }
      : reply

const more = (value: string): string => `0x${(BigInt(value) + 1n).toString(16)}`

/** False results, each of which must prevent the proof of a statement, be an error, or have no effect on the statement. */
const falseValues: Readonly<Record<string, Change>> = {
  "balances one wei higher": changed("eth_getBalance", more),
  "one more sent transaction": changed("eth_getTransactionCount", more),
  "another amount in transactions": changed(
    "eth_getBlockByNumber",
    (block: { transactions: ReadonlyArray<object | string> }) => ({
      ...block,
      transactions: block.transactions.map((one) => (typeof one === "string" ? one : { ...one, value: "0x1" })),
    }),
  ),
  "blocks of another hash": changed("eth_getBlockByNumber", (block: object) => ({
    ...block,
    hash: `0x${"12".repeat(32)}`,
  })),
  "no code and no balance of tokens": changed("eth_call", () => "0x"),
  "receipts without logs": (call, reply) => {
    const strip = (receipt: object) => ({ ...receipt, logs: [] })
    if (!("result" in reply) || reply.result === null) return reply
    if (call.method === "eth_getTransactionReceipt") return { result: strip(reply.result as object) }
    return call.method === "eth_getBlockReceipts"
      ? { result: (reply.result as ReadonlyArray<object>).map(strip) }
      : reply
  },
}

const hostileNames: Change = (call, reply) => {
  const [{ data = "", input = data, to = "" } = {}] = call.params as ReadonlyArray<{
    data?: string
    input?: string
    to?: string
  }>
  if (call.method !== "eth_call") return reply
  const name = names[Number.parseInt(to.slice(-4), 16) % names.length]!
  return /^0x(06fdde03|95d89b41)/.test(input) ? { result: text(name) } : reply
}

const startChanged = async (url: string, change: Change) =>
  await FakeNode.start(async (call) => change(call, await FakeNode.forward(url, call)))

/** Faults in the output of a command, whatever its exit code. */
const outputFaults = ({ err, out }: Ended): ReadonlyArray<string> => [
  ...(out.includes(canary) || err.includes(canary) ? ["contains the key"] : []),
  ...(/^\s+at .*:\d+:\d+\)?$/m.test(err) ? [`a stack: ${err.slice(0, 200)}`] : []),
  // oxlint-disable-next-line no-control-regex -- a terminal must not receive them
  ...(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(
    `${out.replaceAll("\r\n", "\n")}${err}`,
  )
    ? ["control characters"]
    : []),
]

/** Runs an export whose reader closes the pipe after the first bytes. */
const leaveEarly = async (base: string, args: ReadonlyArray<string>): Promise<string> =>
  await new Promise((resolve) => {
    const child = spawn(process.execPath, [main, ...args], { cwd: base, stdio: ["ignore", "pipe", "pipe"] })
    let err = ""
    child.stdout.once("data", () => child.stdout.destroy())
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
    child.on("close", () => resolve(err))
  })

/** Reads an export as a spreadsheet does; returns its errors. */
const csvFaults = async (file: string): Promise<ReadonlyArray<string>> => {
  const rows: Array<ReadonlyArray<string>> = []
  const read = async function* () {
    yield readFileSync(file, "utf8")
  }
  for await (const row of CsvReader.read(read())) rows.push(row)
  const widths = new Set(rows.map(({ length }) => length))
  const formulas = rows.flat().filter((field) => /^[=+@\t\r]/.test(field))
  return [
    ...(widths.size === 1 ? [] : [`rows of ${[...widths].join(", ")} fields`]),
    ...(formulas.length === 0 ? [] : [`a formula: ${formulas[0]!.slice(0, 40)}`]),
  ]
}

/** Statements and exports from hostile nodes. */
export const scenario: Scenario = {
  name: "statements and exports from a hostile node",
  bound: "exit code 0 only if proved",
  run: async (_, scale) => {
    const scope = Effect.runSync(Scope.make())
    const base = mkdtempSync(join(tmpdir(), "daybook-statements-"))
    const faults: Array<string> = []
    try {
      const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
      const { url } = Context.get(context, Anvil.Anvil)
      const { accounts, lastBlock } = Context.get(context, ChainScenario.Scenario)
      const run = async (node: string, ...args: ReadonlyArray<string>): Promise<Ended> => {
        const ended = daybook(base, ...args, "--rpc", `${node}/${canary}`, "--at", String(lastBlock))
        const result = await Effect.runPromise(Effect.timeoutOption(ended, `${maxSeconds} seconds`))
        return Option.getOrElse(result, () => ({ code: null, out: "", err: "" }))
      }
      const statement = ["statement", accounts.alice, "--json"]
      const unchanged = await startChanged(url, (_call, reply) => reply)
      const correct = await run(unchanged.url, ...statement)
      await unchanged.stop()
      if (correct.code !== 0) faults.push(`from a correct node: code ${correct.code}: ${correct.err.slice(0, 300)}`)
      const codes: Array<string> = []
      const checkOutcome = (name: string, ended: Ended) => {
        codes.push(`code ${ended.code}`)
        for (const fault of outputFaults(ended)) faults.push(`${name}: ${fault}`)
        if (ended.code === null) faults.push(`${name}: did not end within ${maxSeconds} s`)
        if (ended.code === 0 && ended.out !== correct.out) faults.push(`${name}: proved: ${ended.out.slice(0, 200)}`)
        if (ended.code !== 0 && ended.err.trim() === "")
          faults.push(`${name}: ends with ${ended.code} without a message`)
      }
      const step = scale === "full" ? 1 : 12
      for (const fault of NodeFault.names.filter((_name, at) => at % step === 0)) {
        const node = await HostileNode.start({
          upstream: url,
          script: ({ number }) => {
            const isFaulty = number % 3 === 2 && (number < maxStalled || !stalls.has(fault))
            return { fault: isFaulty ? fault : "none", target: 0.5, waitMillis: 50 }
          },
        })
        checkOutcome(fault, await run(node.url, ...statement))
        await node.stop()
      }
      for (const [name, change] of Object.entries(falseValues)) {
        const node = await startChanged(url, change)
        checkOutcome(name, await run(node.url, ...statement))
        await node.stop()
      }
      const named = await startChanged(url, hostileNames)
      for (const format of ["csv", "ndjson", "beancount", "hledger"]) {
        const file = join(base, `books.${format}`)
        const ended = await run(named.url, "export", accounts.alice, "--format", format, "--output", file)
        const contents = readFileSync(file, "utf8")
        if (ended.code !== 0) faults.push(`export as ${format}: code ${ended.code}: ${ended.err.slice(0, 200)}`)
        for (const fault of outputFaults({ ...ended, out: contents })) faults.push(`export as ${format}: ${fault}`)
        if (contents.length > 200_000) faults.push(`export as ${format}: ${contents.length} characters`)
        if (format === "csv") faults.push(...(await csvFaults(file)))
      }
      const described = await run(named.url, "statement", accounts.alice)
      for (const fault of outputFaults(described)) faults.push(`statement of hostile names: ${fault}`)
      const early = await leaveEarly(base, [
        "export",
        accounts.alice,
        "--format",
        "csv",
        "--rpc",
        named.url,
        "--at",
        String(lastBlock),
      ])
      if (/^\s+at /m.test(early)) faults.push(`a reader that closes the pipe: ${early.slice(0, 300)}`)
      await named.stop()
      return { behaviour: `${codes.length} statements: ${Client.tally(codes)}; 4 exports with hostile names`, faults }
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      rmSync(base, { recursive: true, force: true })
    }
  },
}
