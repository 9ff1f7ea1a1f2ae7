import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as ArtifactFolder from "../../src/contract/ArtifactFolder.ts"
import { changesOf, contractsOf } from "../../src/contract/ContractKeeper.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "daybook-artifacts-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (path: string, value: unknown): string => {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value))
  return file
}
const item = (name: string) => ({ type: "function", name, inputs: [] })
const address = (digit: string) => `0x${digit.repeat(40)}`
const namesOf = (project: ArtifactFolder.Project | null) =>
  project?.deployed.map(({ address: at, items, name }) => [at, name, items.map((one) => one.name)])

describe("ArtifactFolder", () => {
  it("a Foundry project returns the contracts that its scripts created on the chain, with their ABIs, the newest run last", async () => {
    write("out/Counter.sol/Counter.json", { abi: [item("increment")], bytecode: { object: "0x" } })
    write("out/Box.sol/Box.json", { abi: [item("open")] })
    write("out/Vm.sol/Vm.json", {
      abi: [item("prank")],
      metadata: { settings: { compilationTarget: { "lib/forge-std/src/Vm.sol": "Vm" } } },
    })
    const run = (created: object) => ({
      transactions: [{ transactionType: "CREATE", ...created }, { transactionType: "CALL" }],
    })
    write("broadcast/Deploy.s.sol/31337/run-1700.json", run({ contractName: "Box", contractAddress: address("A") }))
    write("broadcast/Deploy.s.sol/31337/run-latest.json", {
      transactions: [
        { transactionType: "CREATE2", contractName: "src/Counter.sol:Counter", contractAddress: address("A") },
        { transactionType: "CALL", additionalContracts: [{ contractName: "Box", address: address("b") }] },
        { transactionType: { toString: 1, valueOf: 1 } },
      ],
    })
    write("broadcast/Deploy.s.sol/1/run-latest.json", run({ contractName: "Box", contractAddress: address("c") }))

    const project = await ArtifactFolder.reader(folder, 31337)()

    expect(namesOf(project)).toEqual([
      [address("a"), "Counter", ["increment"]],
      [address("b"), "Box", ["open"]],
    ])
    expect(project?.pack.map(({ name }) => name)).toEqual(["open", "increment"])
  })

  it("a Hardhat project returns the contracts of Ignition by the ids of their deployments", async () => {
    write("artifacts/contracts/Lock.sol/Lock.json", { contractName: "Lock", abi: [item("withdraw")] })
    write("artifacts/contracts/Lock.sol/Lock.dbg.json", { buildInfo: "x" })
    write("artifacts/build-info/1.json", { abi: [item("never")] })
    write("ignition/deployments/chain-31337/deployed_addresses.json", {
      "LockModule#Lock": address("1"),
      "LockModule#second": address("2"),
      "LockModule#Proxy": address("3"),
      "LockModule#LockProxy": address("3"),
    })
    write("ignition/deployments/chain-31337/artifacts/LockModule#second.json", {
      contractName: "Second",
      abi: [item("again")],
    })
    write("ignition/deployments/chain-31337/artifacts/LockModule#Proxy.json", {
      contractName: "Proxy",
      abi: [item("upgradeTo")],
    })
    write("ignition/deployments/chain-31337/artifacts/LockModule#LockProxy.json", {
      contractName: "Lock",
      abi: [item("withdraw"), item("upgradeTo")],
    })

    expect(namesOf(await ArtifactFolder.reader(folder, 31337)())).toEqual([
      [address("1"), "Lock", ["withdraw"]],
      [address("2"), "Second", ["again"]],
      [address("3"), "Proxy", ["withdraw", "upgradeTo"]],
    ])
  })

  it("a project returns the names of enums in its sources, and where the arguments of a constructor begin", async () => {
    write("src/Vault.sol", "contract Vault { enum Term { Short, Long } }")
    const term = { name: "term", type: "uint8", internalType: "enum Vault.Term" }
    const abi = [
      { type: "constructor", inputs: [term] },
      { type: "function", name: "open", inputs: [term] },
    ]
    write("out/Vault.sol/Vault.json", { abi, bytecode: { object: `0x${"60".repeat(40)}` } })
    write("broadcast/Deploy.s.sol/31337/run-latest.json", {
      transactions: [{ transactionType: "CREATE", contractName: "Vault", contractAddress: address("a") }],
    })

    const project = await ArtifactFolder.reader(folder, 31337)()

    const named = { name: "term", type: "uint8", enum: ["Short", "Long"] }
    expect(project?.deployed[0]?.items).toEqual([
      { type: "constructor", name: "", inputs: [named], stateMutability: "nonpayable", codeBytes: 40 },
      { type: "function", name: "open", inputs: [named], stateMutability: "nonpayable" },
    ])
    expect(project?.pack.map(({ type }) => type)).toEqual(["function"])
  })

  it("of several artifacts with one name, the first one describes what a script or a module deployed", async () => {
    const codeOf = (byte: string) => ({ object: `0x${byte.repeat(20)}` })
    write("out/A.sol/Token.json", { abi: [item("first"), item("shared")], deployedBytecode: codeOf("01") })
    write("out/B.sol/Token.json", { abi: [item("second"), item("shared")], deployedBytecode: codeOf("02") })
    write("out/C.sol/IToken.json", { abi: [item("shared")], deployedBytecode: codeOf("") })
    write("out/Box.sol/Box.0.8.19.json", { abi: [item("open")] })
    write("out/D.sol/1.json", { abi: [item("nameless")] })
    write("broadcast/Deploy.s.sol/31337/run-latest.json", {
      transactions: [
        { transactionType: "CREATE", contractName: "Token", contractAddress: address("a") },
        { transactionType: "CREATE", contractName: "Box", contractAddress: address("c") },
      ],
    })
    write("ignition/deployments/chain-31337/deployed_addresses.json", { "Module#Token": address("b") })

    const project = await ArtifactFolder.reader(folder, 31337)()

    expect(namesOf(project)).toEqual([
      [address("b"), "Token", ["first", "shared"]],
      [address("a"), "Token", ["first", "shared"]],
      [address("c"), "Box", ["open"]],
    ])
    expect(project?.pack.map(({ name }) => name)).toEqual(["first", "shared", "second", "open"])
    expect(project?.codes.map(({ items, name }) => [name, items[0]?.name])).toEqual([
      ["Token", "first"],
      ["Token", "second"],
    ])
  })

  it("deployments without an address or a name are skipped, and one without an artifact has only a name", async () => {
    write("ignition/deployments/chain-31337/deployed_addresses.json", {
      "Module#Number": 7,
      "Module#List": [address("1")],
      "Module#Short": "0x12",
      "Module#Long": `${address("1")}1`,
      "Module#1": address("2"),
      "Module#Kept": address("3"),
    })
    const created = (fields: object) => ({ transactionType: "CREATE2", ...fields })
    write("broadcast/Deploy.s.sol/31337/run-1.json", { transactions: "x" })
    write("broadcast/Deploy.s.sol/31337/run-2.json", {
      transactions: [
        null,
        created({ contractName: 5, contractAddress: address("4") }),
        created({ contractName: null, contractAddress: address("4") }),
        created({ contractName: "Box", contractAddress: [address("4")] }),
        created({ contractName: "Box" }),
        created({ contractName: "Box", contractAddress: address("5"), additionalContracts: "x" }),
      ],
    })
    write("broadcast/Deploy.s.sol/31337/other.json", {
      transactions: [created({ contractName: "Box", contractAddress: address("6") })],
    })

    expect(namesOf(await ArtifactFolder.reader(folder, 31337)())).toEqual([
      [address("3"), "Kept", []],
      [address("5"), "Box", []],
    ])
  })

  it.each([
    ["out/A.json", ["a"]],
    ["out/1/2/3/4/5/6/7/8/A.json", ["a"]],
    ["out/1/2/3/4/5/6/7/8/9/A.json", []],
    ["artifacts/A.json", ["a"]],
    ["lib/A.json", ["a"]],
    ["out/cache/A.json", []],
    ["out/dry-run/A.json", []],
    ["node_modules/A.json", []],
    [".git/A.json", []],
    ["broadcast/A.json", []],
    ["ignition/deployments/chain-31337/A.json", ["a"]],
    ["ignition/deployments/chain-1/A.json", ["a"]],
  ])("an artifact in %s returns %j", async (path, expected) => {
    write(path, { abi: [item("a")] })

    expect((await ArtifactFolder.reader(folder, 31337)())?.pack.map(({ name }) => name)).toEqual(expected)
  })

  it("files and folders are read in the order of their names", async () => {
    const names = [..."jcahgedbif"]
    for (const name of names) write(name === "e" ? "out/e/x.json" : `out/${name}.json`, { abi: [item(name)] })

    const project = await ArtifactFolder.reader(folder, 31337)()

    expect(project?.pack.map(({ name }) => name)).toEqual(names.toSorted())
  })

  it.each([
    [2, ["a", "b"]],
    [3, ["a", "b", "c"]],
  ])("at most %d files are read from a folder, including its subfolders", async (most, expected) => {
    for (const path of ["a", "b/b", "b/c", "d"]) write(`out/${path}.json`, { abi: [item(path.at(-1)!)] })

    expect((await ArtifactFolder.reader(folder, 31337, most)())?.pack.map(({ name }) => name)).toEqual(expected)
  })

  it.each(["broadcast/Deploy.s.sol/1/run-1.json", "ignition/deployments/chain-31337/journal.json", "out/A.json"])(
    "in a folder with %s, only the usual folders are searched for artifacts",
    async (path) => {
      write(path, {})
      write("other/A.json", { abi: [item("a")] })

      expect((await ArtifactFolder.reader(folder, 31337)())?.pack).toEqual([])
    },
  )

  it("a folder is read again only when a file is written, changed or removed", async () => {
    const read = ArtifactFolder.reader(folder, 31337)
    const file = write("out/A.sol/A.json", { abi: [item("a")] })
    const packOf = async () => (await read())?.pack.map(({ name }) => name)

    expect(await packOf()).toEqual(["a"])
    expect(await packOf()).toBeUndefined()
    write("out/A.sol/A.json", { abi: [item("b")] })
    utimesSync(file, 1, 1)
    expect(await packOf()).toEqual(["b"])
    write("out/B.sol/B.json", { abi: [item("c")] })
    expect(await packOf()).toEqual(["b", "c"])
    rmSync(file)
    expect(await packOf()).toEqual(["c"])
  })

  it("a source is read only for its enums, and changed names appear once the artifact is recompiled", async () => {
    const read = ArtifactFolder.reader(folder, 31337)
    const abi = [{ type: "function", name: "open", inputs: [{ name: "x", type: "uint8", internalType: "enum Term" }] }]
    const valuesOf = async () => (await read())?.pack.map(({ inputs }) => inputs[0]?.enum)
    write("contracts/Term.sol", "enum Term { Short, Long }")
    write("contracts/Other.json", { abi: [item("never")] })
    const artifact = write("artifacts/Vault.json", { abi })
    const first = await valuesOf()
    write("contracts/Term.sol", "enum Term { Brief, Extended }")
    const kept = await valuesOf()
    utimesSync(artifact, 1, 1)

    expect([first, kept, await valuesOf()]).toEqual([[["Short", "Long"]], [["Short", "Long"]], [["Brief", "Extended"]]])
  })

  it("links, files that are too large and files that are not artifacts are skipped, and a missing folder is empty", async () => {
    const outside = mkdtempSync(join(tmpdir(), "daybook-outside-"))
    writeFileSync(join(outside, "Secret.json"), JSON.stringify({ abi: [item("secret")] }))
    symlinkSync(outside, join(folder, "linked"))
    symlinkSync(join(outside, "Secret.json"), join(folder, "Secret.json"))
    write("a.json", "{")
    write("b.json", "[".repeat(100_000))
    write("c.json", { abi: "x" })
    write("d.json", JSON.stringify({ abi: [item("x")] }).padEnd(8 * 1024 * 1024 + 1))
    write("e.json", { abi: { abi: [item("nested")] } })
    write("f.json", { abi: [item("kept")] })
    write("g.json", JSON.stringify({ abi: [item("largest")] }).padEnd(8 * 1024 * 1024))
    write("f.dbg.json", { abi: [item("debug")] })
    write("f.json.orig", { abi: [item("backup")] })

    const project = await ArtifactFolder.reader(folder, 31337)()

    rmSync(outside, { recursive: true })
    expect(project?.pack.map(({ name }) => name)).toEqual(["kept", "largest"])
    expect(await ArtifactFolder.reader(join(folder, "absent"), 1)()).toEqual({ deployed: [], pack: [], codes: [] })
  })
})

describe("ContractKeeper", () => {
  const project = (...names: ReadonlyArray<string>): ArtifactFolder.Project => ({
    deployed: names.map((name, at) => ({ address: address(String(at)), name, items: [] })),
    pack: [],
    codes: [],
  })

  it("contents of a folder replace its earlier contents, and descriptions by command are kept", () => {
    const stored = contractsOf("/p", project("A", "B", "C")).map((contract) =>
      contract.name === "B" ? { ...contract, source: "command" } : contract,
    )

    const { put, remove } = changesOf("/p", stored, contractsOf("/p", project("A", "X", "D", "E")))
    const less = changesOf("/p", stored, contractsOf("/p", project("A")))

    expect(put.map(({ name }) => name)).toEqual(["D", "E"])
    expect(remove).toEqual([])
    expect([less.put, less.remove]).toEqual([[], [address("2")]])
    const followed = stored.map((contract) => ({ ...contract, implementations: [{ from: 1, address: address("9") }] }))
    const described = project("A").deployed.map((one) => ({ ...one, items: [item("a") as never] }))
    expect(changesOf("/p", followed, contractsOf("/p", { deployed: described, pack: [] })).put).toEqual([
      { ...followed[0], abi: '[{"type":"function","name":"a","inputs":[]}]' },
    ])
  })
})
