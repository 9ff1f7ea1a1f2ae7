/**
 * The chains of a configuration, with ids and names from the interface filled in.
 */
import * as Chain from "@daybook/schema/Chain"
import { formatPath, quote } from "@daybook/schema/Issue"
import * as Result from "effect/Result"
import * as Label from "../label/Label.ts"
import type { ChainConfig } from "./ChainConfig.ts"
import { type ConfigIssue, InvalidConfig } from "./InvalidConfig.ts"

/** A chain of the service. */
export interface ServedChain {
  /** Name in the configuration. */
  readonly key: string
  /** Display name: the interface's if it lists the chain, otherwise the configuration's. */
  readonly name: string
  /** EIP-155 id. */
  readonly id: number
  /** Row of the interface; `undefined` for the operator's own chain. */
  readonly known: Chain.Chain | undefined
  readonly label: Label.Label
  readonly config: ChainConfig
}

/** The issue of a chain with two start blocks. */
export const twoStarts = (key: string): ConfigIssue => {
  const path = formatPath(["chains", key])
  return { path, message: `Both "fromBlock" and "fromDate" are configured: "${path}". Give one of them.` }
}

/** Ids of development nodes: geth and ganache, hardhat and anvil. */
export const developmentIds: ReadonlySet<number> = new Set([1_337, 31_337])

/**
 * Whether a lower head of the node may remove the blocks above it, including final ones: as configured; by default, if the id is that of a
 * development chain and there is one node.
 *
 * Source: decision 0060.
 */
export const mayRewind = ({ config, id }: Pick<ServedChain, "config" | "id">): boolean =>
  config.rewinds ?? (config.rpc.length === 1 && developmentIds.has(id))

const namesOfEthereum = /^(ethereum|mainnet|ethereum[ _-]mainnet|ether)$/i

/** Resolves the chain of an entry, or returns its issue. */
const fromEntry = (key: string, config: ChainConfig): Result.Result<ServedChain, ConfigIssue> => {
  const path = formatPath(["chains", key])
  const where = `"${path}"`
  const invalid = (message: string, at = path) => Result.fail({ path: at, message })
  const named = Chain.fromName(key)
  if (key.trim() === "") return invalid('A chain has an empty name: "chains". Name it.')
  const [listed] = Chain.fromText(key)
  if (named === undefined && listed !== undefined) {
    return invalid(`A chain is named by an identifier: ${where}. Use its name: ${listed.name}.`)
  }
  const id = config.id ?? (named === undefined ? undefined : Number(named.id))
  if (id === undefined) {
    const hint = namesOfEthereum.test(key.trim()) ? " Did you mean eth?" : ""
    return invalid(
      `Unknown chain without an id: ${where}. Give its EIP-155 id as "id", or with --chain NAME:ID=URL.${hint}`,
    )
  }
  if (named !== undefined && BigInt(id) !== named.id) {
    const conflict = `The id ${id} conflicts with the id ${named.id} of ${named.name}: ${where}.`
    return invalid(`${conflict} Remove "id", or give the chain another name.`, formatPath(["chains", key, "id"]))
  }
  if (config.fromDate !== undefined && config.fromBlock > 0) return Result.fail(twoStarts(key))
  const label = Label.make(config.labels)
  if (Result.isFailure(label)) return invalid(`${where}: ${label.failure.message}`)
  const known = named ?? Chain.all.find((chain) => chain.id === BigInt(id))
  return Result.succeed({ key, name: known?.name ?? key, id, known, label: label.success, config })
}

/**
 * The chains under `chains` of a configuration.
 *
 * **Errors**
 * - `InvalidConfig`: there is none; a chain has no id or one that conflicts with its name; two have the same id; a label is invalid.
 */
export const fromChains = (
  entries: Readonly<Record<string, ChainConfig>>,
): Result.Result<ReadonlyArray<ServedChain>, InvalidConfig> => {
  const found: Array<ConfigIssue> = []
  const chains: Array<ServedChain> = []
  for (const [key, config] of Object.entries(entries)) {
    const path = formatPath(["chains", key])
    const chain = fromEntry(key, config)
    if (Result.isFailure(chain)) {
      found.push(chain.failure)
      continue
    }
    const twin = chains.find(({ id }) => id === chain.success.id)
    const namesake = chains.find((other) => Chain.normalizeName(other.key) === Chain.normalizeName(key))
    if (twin !== undefined) {
      const message = `Two chains have the id ${twin.id}: ${quote(twin.key)} and ${quote(key)}. Remove one of them.`
      found.push({ path, message })
    } else if (namesake !== undefined) {
      const message = `Two chains have the same name: ${quote(namesake.key)} and ${quote(key)}. Case, spaces, hyphens and underscores are ignored; rename one of them.`
      found.push({ path, message })
    }
    chains.push(chain.success)
  }
  if (chains.length === 0 && found.length === 0) {
    found.push({ path: "chains", message: 'No chain is configured: "chains" is empty. Add one.' })
  }
  return found.length === 0 ? Result.succeed(chains) : Result.fail(new InvalidConfig({ found }))
}
