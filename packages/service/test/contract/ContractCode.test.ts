import { describe, expect, it } from "vitest"
import * as ContractCode from "../../src/contract/ContractCode.ts"

/** Code that differs from that of another number. */
const codeOf = (number: number) => `6080604052${number.toString(16).padStart(4, "0").repeat(16)}`

/** Metadata as solc writes it: a map in CBOR with a hash and its version, and the length of both. */
const metadata = (byte: string) => `a2646970667358221220${byte.repeat(32)}64736f6c63430008180033`

const known = (name: string, artifact: object): ContractCode.KnownCode => {
  const pattern = ContractCode.fromArtifact(artifact)
  if (pattern === undefined) throw new Error(`${name} has no code`)
  return { name, items: [], pattern }
}

const nameOf = (codes: ReadonlyArray<ContractCode.KnownCode>, code: string) => ContractCode.finder(codes)(code)?.name

describe("ContractCode", () => {
  it("finds the contract with a given code, whatever its metadata, among artifacts of Foundry and Hardhat", () => {
    const codes = [
      known("First", { deployedBytecode: { object: `0x${codeOf(1)}${metadata("ab")}` } }),
      known("Second", { deployedBytecode: `0x${codeOf(2)}${metadata("cd")}` }),
    ]

    expect(nameOf(codes, `0x${codeOf(1)}${metadata("ef")}`)).toBe("First")
    expect(nameOf(codes, `0x${codeOf(2).toUpperCase()}${metadata("cd")}`)).toBe("Second")
    expect(nameOf(codes, `0x${codeOf(3)}${metadata("ab")}`)).toBeUndefined()
    expect(nameOf(codes, `0x${codeOf(1)}00${metadata("ab")}`)).toBeUndefined()
    expect(nameOf(codes, "0x")).toBeUndefined()
    expect(nameOf(codes, `0x${codeOf(1)}zz`)).toBeUndefined()
  })

  it("ignores immutables, as an artifact lists them or as they are pushed", () => {
    const zeros = "0".repeat(64)
    const value = "12".repeat(32)
    const stated = known("Stated", {
      deployedBytecode: {
        object: `0x${codeOf(1)}61${zeros}5b`,
        immutableReferences: { 7: [{ start: codeOf(1).length / 2 + 1, length: 32 }] },
      },
    })
    const pushed = known("Pushed", { deployedBytecode: `0x${codeOf(2)}7f${zeros}5b` })

    expect(nameOf([stated, pushed], `0x${codeOf(1)}61${value}5b`)).toBe("Stated")
    expect(nameOf([stated, pushed], `0x${codeOf(2)}7f${value}5b`)).toBe("Pushed")
    expect(nameOf([stated, pushed], `0x${codeOf(2)}7f${value}5c`)).toBeUndefined()
  })

  it("treats a zero word at the start of a code as an immutable, but not if half a byte precedes its instruction", () => {
    const [zeros, value] = ["0".repeat(64), "12".repeat(32)]
    const start = known("Start", { deployedBytecode: `0x7f${zeros}${codeOf(1)}` })
    const half = known("Half", { deployedBytecode: `0x${codeOf(2)}07f${zeros}5` })

    expect(nameOf([start, half], `0x7f${value}${codeOf(1)}`)).toBe("Start")
    expect(nameOf([start, half], `0x${codeOf(2)}07f${value}5`)).toBeUndefined()
  })

  it("ignores addresses of libraries, and a library's own address", () => {
    const address = "34".repeat(20)
    const user = known("User", { deployedBytecode: `0x${codeOf(1)}73__$${"ab".repeat(17)}$__63` })
    const library = known("Library", { deployedBytecode: `0x73${"0".repeat(40)}3014${codeOf(2)}` })

    expect(nameOf([user, library], `0x${codeOf(1)}73${address}63`)).toBe("User")
    expect(nameOf([user, library], `0x73${address}3014${codeOf(2)}`)).toBe("Library")
    expect(nameOf([user, library], `0x73${address}3014${codeOf(3)}`)).toBeUndefined()
  })

  it.each([
    ["an interface", { deployedBytecode: { object: "0x" } }],
    ["an artifact without code", { abi: [] }],
    ["a code that is no hex", { deployedBytecode: `0x${codeOf(1)}zz` }],
    ["a code with half a byte", { deployedBytecode: `0x${codeOf(1)}5` }],
    ["a code of 15 bytes", { deployedBytecode: `0x${"5b".repeat(15)}` }],
    ["a code of 131,073 bytes", { deployedBytecode: `0x${"5b".repeat(131_073)}` }],
    [
      "more immutables than a code has",
      {
        deployedBytecode: `0x${codeOf(1)}`,
        immutableReferences: { 1: Array.from({ length: 4_097 }, () => ({ start: 0, length: 1 })) },
      },
    ],
    ["a list", []],
    ["nothing", null],
  ])("%s has no pattern", (_, artifact) => {
    expect(ContractCode.fromArtifact(artifact)).toBeUndefined()
  })

  it.each([16, 131_072])("a code of %d bytes is compared", (bytes) => {
    const code = `0x${"5b".repeat(bytes)}`

    expect(nameOf([known("Bound", { deployedBytecode: code })], code)).toBe("Bound")
  })

  it("ignores an immutable at the first byte in a Hardhat artifact, whatever else it lists", () => {
    const references = Array.from({ length: 4_095 }, () => ({ start: 0, length: 1 }))
    const first = known("First", {
      deployedBytecode: `0x00${codeOf(1)}`,
      immutableReferences: { 1: references, 2: [{ start: 5 }, { length: 5 }], 3: { start: 0, length: 1 } },
    })

    expect(nameOf([first], `0x12${codeOf(1)}`)).toBe("First")
    expect(nameOf([first], `0x12${codeOf(2)}`)).toBeUndefined()
  })

  it.each([
    [40, { bytecode: { object: `0x${"60".repeat(40)}` } }],
    [40, { bytecode: `0x${"60".repeat(40)}` }],
    [262_143, { bytecode: `0x${"60".repeat(262_143)}` }],
    [undefined, { bytecode: `0x${"60".repeat(262_144)}` }],
    [undefined, { bytecode: "0x" }],
    [undefined, { bytecode: "6060" }],
    [undefined, { bytecode: 7 }],
    [undefined, { abi: [] }],
    [undefined, null],
  ])("creationBytes: is %s", (bytes, artifact) => {
    expect(ContractCode.creationBytes(artifact)).toBe(bytes)
  })

  it("references outside the code, and metadata with a length beyond it, leave the code unchanged", () => {
    const odd = known("Odd", {
      deployedBytecode: `0x${codeOf(1)}ffff`,
      immutableReferences: {
        1: [{ start: 1e9, length: 32 }, { start: -1, length: 2 }, { start: "5", length: "1" }, null],
      },
    })

    expect(nameOf([odd], `0x${codeOf(1)}ffff`)).toBe("Odd")
    expect(nameOf([odd], `0x${codeOf(2)}ffff`)).toBeUndefined()
  })

  it("removes nothing from a code that does not end with metadata, or that consists only of metadata", () => {
    const ended = known("Ended", { deployedBytecode: `0x${codeOf(1)}5b5b0001` })
    const alone = known("Alone", { deployedBytecode: `0x${metadata("ab")}` })

    expect(nameOf([ended], `0x${codeOf(1)}5b5b0001`)).toBe("Ended")
    expect(nameOf([ended], `0x${codeOf(1)}5b5c0001`)).toBeUndefined()
    expect(nameOf([alone], `0x${metadata("ab")}`)).toBe("Alone")
  })
})
