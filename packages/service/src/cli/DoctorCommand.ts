/**
 * `daybook doctor`: checks what nodes offer and prints what would be indexed, how fast, and what is missing, with remedies.
 */
import * as Endpoint from "@daybook/transport/Endpoint"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as NodeConfig from "../config/NodeConfig.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as NodeDoctor from "../maintenance/NodeDoctor.ts"
import type { Finding } from "../node/NodeProbe.ts"
import { CommandError } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

const nameWidth = 14

const marks: Readonly<Record<Finding["grade"], string>> = {
  good: "ok",
  limited: "limited",
  missing: "missing",
  failed: "failed",
}

const format = ({ grade, name, remedy, text }: Finding): string => {
  const advice = remedy === undefined ? "" : ` ${remedy}`
  const sentence = /[.!?]$/.test(text) || advice === "" ? text : `${text}.`
  return `  ${name.padEnd(nameWidth)} ${marks[grade].padEnd(8)} ${sentence}${advice}`
}

/** Removes the keys of a node, from its URL, headers and token, from a text. */
const scrubber = (node: NodeConfig.NodeConfig) => {
  const options = NodeConfig.toOptions(node)
  const { scrub } = Endpoint.makeUnsafe({ url: options.url, headers: NodeConfig.headersOf(options) ?? {} })
  return (text: string) => scrub(text).replaceAll(options.url, "the node's URL")
}

const examine = Effect.fnUntraced(function* (name: string, options: NodeDoctor.Options) {
  const lines: Array<string> = []
  const examined = yield* NodeDoctor.examine(options, (finding) => void lines.push(format(finding)))
  const scrub = scrubber(options.node)
  yield* Terminal.print(`${name}${examined.host}`)
  for (const line of lines) yield* Terminal.print(scrub(line))
  const canIndex = NodeDoctor.canIndex(examined)
  const limits = examined.findings.filter(({ grade }) => grade === "limited").map((finding) => finding.name)
  const rest = limits.length === 0 ? "." : `, with limits: ${limits.join(", ")}.`
  yield* Terminal.print(
    canIndex ? `The chain can be indexed from this node${rest}` : "The chain cannot be indexed from this node.",
  )
  return canIndex
})

/** The nodes of the configuration, with the chain and first block of each. */
const configured = Effect.fnUntraced(function* (path: string) {
  const { config } = yield* ConfigFile.read(path)
  const chains = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  return chains.flatMap(({ config: { fromBlock, rpc }, id, name }) =>
    rpc.map((node) => ({ name: `${name}: `, options: { node, chainId: id, fromBlock } })),
  )
})

/** `daybook doctor`: exits with code 1 if a chain cannot be indexed from a node. */
export const doctor = Command.make(
  "doctor",
  {
    url: Argument.String("URL").pipe(
      Argument.withDescription("URL of a node; by default each node of the configuration"),
      Argument.optional,
    ),
    config: Selection.configFlag,
  },
  Effect.fn(function* ({ config: path, url }) {
    const given = Option.map(url, (node) => [{ name: "", options: { node } }])
    const nodes = Option.isSome(given) ? given.value : yield* configured(path)
    let failed = 0
    for (const { name, options } of nodes) if (!(yield* examine(name, options))) failed += 1
    if (failed === 0) return
    const message = `Cannot index from ${Terminal.count(failed, "node")} of ${nodes.length}. See the lines marked "missing" or "failed".`
    return yield* new CommandError({ message })
  }),
)
