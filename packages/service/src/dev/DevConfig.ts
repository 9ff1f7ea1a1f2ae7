/**
 * Configuration of `daybook dev` for a node: one chain, followed closely, without limits for its single user.
 *
 * Source: decision 0060.
 */
import * as Chain from "@daybook/schema/Chain"
import { statSync } from "node:fs"
import { join } from "node:path"
import type * as Result from "effect/Result"
import * as Config from "../config/Config.ts"
import type { InvalidConfig } from "../config/InvalidConfig.ts"
import type { LocalNode } from "./LocalNode.ts"

/** Input of the command. */
export interface Settings {
  /** Port of the service; 0 selects a free one. */
  readonly port: number
  /** Folder of the database. */
  readonly data: string
  /** Folders of projects. */
  readonly artifacts: ReadonlyArray<string>
}

/** Name of a chain that the interface does not list. */
const localName = "local"

const unbounded = 1_000_000

/** Interval between polls of the head: a call to a node on this machine takes less than a millisecond. */
const pollMillis = 50

/** Name under which a node's chain is served; a fork has the name of its chain. */
export const nameOf = ({ chainId }: LocalNode): string =>
  Chain.all.find(({ id }) => id === BigInt(chainId))?.name ?? localName

/** Labels of the accounts of a node. */
const labelsOf = ({ accounts }: LocalNode): Readonly<Record<string, string>> =>
  Object.fromEntries(accounts.map((address, at) => [address, `Account ${at}`]))

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** The folder itself, if it is a Foundry or Hardhat project. */
export const projectsOf = (folder: string): ReadonlyArray<string> =>
  ["foundry.toml", "hardhat.config.ts", "hardhat.config.js", "hardhat.config.cjs"].some(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true,
  ) || ["broadcast", "ignition"].some((name) => isFolder(join(folder, name)))
    ? [folder]
    : []

/**
 * Makes the configuration for a node. A fork is indexed from its first block, the last block of the forked chain; its blocks are not
 * verified by hash, because the forked chain may compute hashes differently.
 *
 * **Errors**
 * - `InvalidConfig`: the URL of the node cannot be used.
 */
export const make = (
  node: LocalNode,
  { artifacts, data, port }: Settings,
): Result.Result<Config.Config, InvalidConfig> => {
  const { chainId, forkBlock, url } = node
  const name = nameOf(node)
  const chain = { rpc: [url], rewinds: true, pollMillis, artifacts, labels: labelsOf(node) }
  const identified = name === localName ? { ...chain, id: chainId } : chain
  return Config.decode({
    listen: { host: "127.0.0.1", port },
    database: `sqlite:${data}`,
    documents: "plain",
    backfillThreads: 0,
    maxLimit: 1_000,
    rateLimit: { perSecond: unbounded, burst: unbounded },
    limits: { drainIdleMillis: 1, drainSeconds: 1 },
    chains: {
      [name]: forkBlock === null ? identified : { ...identified, fromBlock: forkBlock, checks: "links" },
    },
  })
}
