import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Anvil, Contracts } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { expect, vi } from "vitest"
import type * as DevServer from "../../src/dev/DevServer.ts"
import { request } from "../server/service.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { develop, restartable, within } from "./develop.ts"

vi.setConfig({ testTimeout: 120_000 })

const argument = (address: string): string => address.slice(2).padStart(64, "0")

/** Deploys a contract in a separate transaction, as scripts and tests do; returns its address. */
const deploy = Effect.fnUntraced(function* (node: Anvil.Node, name: Contracts.Name, constructor = "") {
  const [from] = node.accounts
  const data = `${Contracts.artifact(name).bytecode}${constructor}`
  yield* node.call("anvil_dropAllTransactions")
  const hash = yield* node.call<string>("eth_sendTransaction", [{ from, data, gas: "0x1e8480" }])
  const receipt = node.call<{ readonly contractAddress: string } | null>("eth_getTransactionReceipt", [hash])
  yield* Eventually.untilEffect(Effect.map(receipt, (found) => found !== null))
  return (yield* receipt)!.contractAddress
})

/** Writes the artifact of a contract with metadata after its code. The contract on the chain has no metadata. */
const writeArtifact = (project: string, node: Anvil.Node, name: Contracts.Name, address: string) =>
  Effect.map(node.call<string>("eth_getCode", [address, "latest"]), (code) => {
    const { abi, bytecode } = Contracts.artifact(name)
    const object = `${code}a2646970667358221220${"ab".repeat(32)}64736f6c63430008180033`
    const path = join(project, "out", `${name}.sol`, `${name}.json`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify({ abi, bytecode: { object: bytecode }, deployedBytecode: { object } }))
  })

const untilNamed = ({ chain, url }: DevServer.Running, address: string, name: string | null) =>
  Eventually.untilEffect(
    Effect.map(
      request(`${url}/api/v2.2/names?chain=${chain}&address=${address}`),
      ({ json }) =>
        (json["result"] as { readonly addresses: ReadonlyArray<string | null> } | undefined)?.addresses[0] === name,
    ),
    { ...within, withinMillis: 20_000, what: `${address} is named ${name}` },
  )

describe("contracts beside a local chain", () => {
  it.live(
    "contracts are named by their code: existing ones, one called while its creation runs, newly compiled ones, and a replacement at the same address",
    () =>
      Effect.gen(function* () {
        const { begin } = yield* restartable
        const node = yield* begin({})
        const project = yield* temporaryFolder
        const counter = yield* deploy(node, "Counter")
        const proxy = yield* deploy(node, "Proxy", argument(counter))
        yield* writeArtifact(project, node, "Counter", counter)
        yield* writeArtifact(project, node, "Proxy", proxy)
        const lines: Array<string> = []
        const options = { artifacts: [project], onLine: (line: string) => void lines.push(line) }
        const running = yield* Queue.take(yield* develop(node.url, options))
        yield* untilNamed(running, counter, "Counter")
        yield* untilNamed(running, proxy, "Proxy")

        const snapshot = yield* node.call<string>("evm_snapshot")
        const second = yield* deploy(node, "Counter")
        yield* untilNamed(running, second, "Counter")
        yield* Eventually.untilEffect(
          Effect.sync(() => lines.some((line) => /^#3 .* Account 0 → new Counter .* ok$/.test(line))),
          { ...within, withinMillis: 20_000, what: "a line names the contract" },
        )

        yield* node.call("evm_revert", [snapshot])
        const other = yield* deploy(node, "DoubleCounter")
        expect(other).toBe(second)
        yield* untilNamed(running, other, null)
        yield* writeArtifact(project, node, "DoubleCounter", other)
        yield* untilNamed(running, other, "DoubleCounter")
        yield* untilNamed(running, counter, "Counter")
      }).pipe(Effect.scoped),
  )
})
