/**
 * Compiles `contracts/` into `artifacts/`, one small JSON file per deployable contract.
 *
 * Run by `pnpm --filter @daybook/chain contracts`. The output depends only on the sources and the version of solc. A digest of both and
 * of the output is stored, so that a test detects changes without spending seconds on compiling.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

const sourcesFolder = new URL("../contracts/", import.meta.url)
const artifactsFolder = new URL("../artifacts/", import.meta.url)
const digestFile = new URL("../contracts/compiled.sha256", import.meta.url)

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

/** Input of the compiler: every source, and the settings. */
const compilerInput = (): string => {
  const names = readdirSync(sourcesFolder).filter((name) => name.endsWith(".sol"))
  const sources = Object.fromEntries(
    names.toSorted().map((name) => [name, { content: readFileSync(new URL(name, sourcesFolder), "utf8") }]),
  )
  return JSON.stringify({ language: "Solidity", sources, settings })
}

/** The text of each artifact in the folder by its file name. */
const readArtifacts = (): ReadonlyMap<string, string> =>
  new Map(readdirSync(artifactsFolder).map((name) => [name, readFileSync(new URL(name, artifactsFolder), "utf8")]))

/** The digest of the sources, the settings, the version of the compiler and the artifacts in the folder. */
export const digest = (): string => {
  const { version } = createRequire(import.meta.url)("solc/package.json") as { readonly version: string }
  const artifacts = [...readArtifacts()].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash("sha256")
    .update(JSON.stringify([compilerInput(), version, artifacts]))
    .digest("hex")
}

/** The digest that was stored when the artifacts were compiled. */
export const compiledDigest = (): string => readFileSync(digestFile, "utf8").trim()

/** Compiles every source; returns the text of each artifact by its file name. */
const compile = async (): Promise<ReadonlyMap<string, string>> => {
  const { default: solc } = await import("solc")
  const output = JSON.parse(solc.compile(compilerInput())) as Output
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
  const artifacts = await compile()
  rmSync(artifactsFolder, { recursive: true, force: true })
  mkdirSync(artifactsFolder, { recursive: true })
  for (const [name, text] of artifacts) writeFileSync(new URL(name, artifactsFolder), text)
  writeFileSync(digestFile, `${digest()}\n`)
  console.log(`wrote ${artifacts.size} artifacts: ${[...artifacts.keys()].join(", ")}`)
}
