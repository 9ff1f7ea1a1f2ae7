/**
 * The contracts of the scenario as a project that compiled and deployed them: files of Foundry (`out`, `broadcast`) or of Hardhat and
 * Ignition (`artifacts`, `ignition/deployments`) in their formats, including parts that the service ignores.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Contracts, type Scenario } from "@daybook/chain"
import type { Abi } from "viem"

/** Toolchain of the project. */
export type Kind = "foundry" | "hardhat"

/** Artifacts of the deployed contracts. */
export const deployed = {
  gold: "Token",
  silver: "Token",
  wrappedEther: "WrappedEther",
  collectible: "Collectible",
  multiCollectible: "MultiCollectible",
  pairFactory: "PairFactory",
  router: "Router",
  reverter: "Reverter",
  goldSilverPair: "Pair",
  etherGoldPair: "Pair",
  multisend: "Multisend",
  multicall: "Multicall",
  vaultFactory: "VaultFactory",
  counter: "Counter",
  doubleCounter: "DoubleCounter",
  proxy: "Proxy",
  oldCaller: "OldCaller",
  orders: "Orders",
  smartAccount: "SmartAccount",
} as const satisfies Partial<Record<keyof Scenario.World["contracts"], Contracts.Name>>

const sources = join(import.meta.dirname, "../../../tooling/chain/contracts")

/** Declares the enum whose values are the pairs of an order. */
const enumSource = "contract Orders { enum Grade { Unset, First, Second, Third, Fourth } }"

/** An order's ABI with pairs of an enum instead of numbers. */
const withGrades = (abi: Abi): Abi =>
  // Sound: a type of the compiler is replaced by another one.
  JSON.parse(
    JSON.stringify(abi).replaceAll('"internalType":"uint8[2][]"', '"internalType":"enum Orders.Grade[2][]"'),
  ) as Abi

/** The ABI of a contract in the project; the two implementations behind the proxy name the parameter of their function differently. */
export const abiOf = (name: Contracts.Name): Abi => {
  const { abi } = Contracts.artifact(name)
  if (name === "Orders") return withGrades(abi)
  if (name !== "DoubleCounter") return abi
  return abi.map((item) =>
    item.type === "function" && item.name === "increment"
      ? { ...item, inputs: item.inputs.map((input) => ({ ...input, name: "halfBy" })) }
      : item,
  )
}

/** Source of each contract. */
const sourceOf = new Map(
  readdirSync(sources).flatMap((file) =>
    [...readFileSync(join(sources, file), "utf8").matchAll(/^(?:abstract )?contract (?<name>\w+)/gm)].map(
      ({ groups }) => [groups?.["name"] ?? "", file] as const,
    ),
  ),
)

const write = (path: string, value: unknown): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(value, null, 2))
}

/** Addresses are read in any case; here all digits are upper case. */
const asWritten = (address: string): string => `0x${address.slice(2).toUpperCase()}`

const instances = ({ contracts }: Scenario.World) =>
  Object.entries(deployed).map(([name, artifact]) => {
    // Sound: the names are those of the scenario.
    return { name, artifact, address: asWritten(contracts[name as keyof typeof deployed]) }
  })

const writeSource = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "Orders.sol"), enumSource)
}

const writeFoundry = (project: string, world: Scenario.World): void => {
  writeSource(join(project, "src"))
  for (const name of Contracts.names) {
    const [abi, { bytecode }] = [abiOf(name), Contracts.artifact(name)]
    const source = sourceOf.get(name) ?? ""
    const code = { object: bytecode, sourceMap: "1:2:0:-:0", linkReferences: {} }
    const settings = { compilationTarget: { [`src/${source}`]: name }, evmVersion: "cancun" }
    write(join(project, "out", source, `${name}.json`), {
      abi,
      bytecode: code,
      deployedBytecode: {
        ...code,
        immutableReferences: {},
      },
      methodIdentifiers: {},
      rawMetadata: "{}",
      metadata: {
        language: "Solidity",
        output: { abi },
        settings,
        version: 1,
      },
      id: 0,
    })
  }
  write(join(project, "out/build-info/1.json"), { id: "1", source_id_to_path: {}, language: "Solidity" })
  const transactions = instances(world).map(({ address, artifact }) => ({
    hash: null,
    transactionType: "CREATE",
    contractName: artifact,
    contractAddress: address,
    function: null,
    arguments: null,
    transaction: {},
    additionalContracts: [],
    isFixedGasLimit: false,
  }))
  write(join(project, `broadcast/Deploy.s.sol/${world.chainId}/run-latest.json`), {
    transactions,
    receipts: [],
    libraries: [],
    pending: [],
    returns: {},
    timestamp: 1,
    chain: world.chainId,
  })
}

const writeHardhat = (project: string, world: Scenario.World): void => {
  writeSource(join(project, "contracts"))
  const artifactOf = (name: Contracts.Name) => ({
    _format: "hh-sol-artifact-1",
    contractName: name,
    sourceName: `contracts/${sourceOf.get(name)}`,
    abi: abiOf(name),
    bytecode: Contracts.artifact(name).bytecode,
    deployedBytecode: "0x",
    linkReferences: {},
    deployedLinkReferences: {},
  })
  const debug = { _format: "hh-sol-dbg-1", buildInfo: "../../build-info/1.json" }
  for (const name of Contracts.names) {
    const file = join(project, "artifacts/contracts", sourceOf.get(name) ?? "", name)
    write(`${file}.json`, artifactOf(name))
    write(`${file}.dbg.json`, debug)
  }
  write(join(project, "artifacts/build-info/1.json"), { _format: "hh-sol-build-info-1", output: { contracts: {} } })
  const deployments = join(project, `ignition/deployments/chain-${world.chainId}`)
  const addresses: Record<string, string> = {}
  for (const { address, artifact, name } of instances(world)) {
    addresses[`Scenario#${name}`] = address
    write(join(deployments, `artifacts/Scenario#${name}.json`), artifactOf(artifact))
    write(join(deployments, `artifacts/Scenario#${name}.dbg.json`), debug)
  }
  write(join(deployments, "deployed_addresses.json"), addresses)
  writeFileSync(join(deployments, "journal.jsonl"), `\n{"chainId":${world.chainId},"type":"DEPLOYMENT_INITIALIZE"}\n`)
}

/** Writes the project into a folder; returns its path. */
export const writeProject = (folder: string, kind: Kind, world: Scenario.World): string => {
  const project = join(folder, "project")
  if (kind === "foundry") writeFoundry(project, world)
  else writeHardhat(project, world)
  return project
}
