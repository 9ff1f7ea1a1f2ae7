/**
 * Compiles `contracts/` into `artifacts/`, one small JSON file for each contract that can be deployed.
 *
 * Run by `pnpm --filter @daybook/chain contracts`. The output depends on the sources and the version of solc alone.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import solc from "solc"

const sourcesFolder = new URL("../contracts/", import.meta.url)
const artifactsFolder = new URL("../artifacts/", import.meta.url)

const settings = {
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
}

interface Output {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: Readonly<Record<string, Record<string, { abi: unknown; evm: { bytecode: { object: string } } }>>>
}

/** Compiles every source; returns the text of each artifact by its file name. */
export const compile = (): ReadonlyMap<string, string> => {
  const names = readdirSync(sourcesFolder).filter((name) => name.endsWith(".sol"))
  const sources = Object.fromEntries(
    names.toSorted().map((name) => [name, { content: readFileSync(new URL(name, sourcesFolder), "utf8") }]),
  )
  const output = JSON.parse(solc.compile(JSON.stringify({ language: "Solidity", sources, settings }))) as Output
  const errors = (output.errors ?? []).filter(({ severity }) => severity === "error")
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"))
  const artifacts = Object.values(output.contracts).flatMap((file) => Object.entries(file))
  return new Map(
    artifacts
      .filter(([, { evm }]) => evm.bytecode.object !== "")
      .map(([name, { abi, evm }]) => [
        `${name}.json`,
        `${JSON.stringify({ contractName: name, abi, bytecode: `0x${evm.bytecode.object}` })}\n`,
      ]),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const artifacts = compile()
  rmSync(artifactsFolder, { recursive: true, force: true })
  mkdirSync(artifactsFolder, { recursive: true })
  for (const [name, text] of artifacts) writeFileSync(new URL(name, artifactsFolder), text)
  console.log(`wrote ${artifacts.size} artifacts: ${[...artifacts.keys()].join(", ")}`)
}
