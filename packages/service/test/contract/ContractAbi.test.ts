import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as ContractAbi from "../../src/contract/ContractAbi.ts"

const transfer = {
  type: "function",
  name: "send",
  stateMutability: "payable",
  inputs: [
    { name: "to", type: "address", internalType: "address payable" },
    { name: "parts", type: "tuple[]", components: [{ name: "id", type: "uint256" }] },
  ],
  outputs: [{ name: "", type: "bool" }],
}
const event = {
  type: "event",
  name: "Sent",
  anonymous: false,
  inputs: [{ name: "id", type: "uint256", indexed: true }],
}
const error = { type: "error", name: "TooLate", inputs: [{ name: "at", type: "uint64" }] }

const bools = (length: number): ReadonlyArray<object> => Array.from({ length }, () => ({ type: "bool" }))
const tuple = (components: ReadonlyArray<object>) => ({ name: "x", type: "tuple", components })
const nested = (levels: number): object => (levels === 0 ? { name: "x", type: "uint8" } : tuple([nested(levels - 1)]))

const read = (value: unknown) => Result.getOrThrow(ContractAbi.fromJson(value)).items
const reasonOf = (text: string) => {
  const result = ContractAbi.fromText(text)
  return Result.isFailure(result) ? result.failure.message.split(". Give")[0] : undefined
}

describe("ContractAbi", () => {
  it("an array and an artifact yield the functions, events and errors that can be decoded, with what decoding needs", () => {
    const items = [
      {
        type: "function",
        name: "send",
        inputs: [
          { type: "address", name: "to" },
          { type: "tuple[]", name: "parts", components: [{ type: "uint256", name: "id" }] },
        ],
        outputs: [{ type: "bool", name: "" }],
        stateMutability: "payable",
      },
      { type: "event", name: "Sent", inputs: [{ type: "uint256", name: "id", indexed: true }], anonymous: false },
      { type: "error", name: "TooLate", inputs: [{ type: "uint64", name: "at" }] },
    ]
    expect(read([transfer, event, error, { type: "receive" }])).toEqual(items)
    expect(read({ contractName: "X", abi: [transfer, event, error], bytecode: "0x" })).toEqual(items)
    expect(Result.getOrThrow(ContractAbi.fromText(`\uFEFF${JSON.stringify(items)}`)).items).toEqual(items)
    expect(Result.getOrThrow(ContractAbi.fromJson(items)).signatures.map(({ canonical }) => canonical)).toEqual([
      "send(address,(uint256)[])",
      "Sent(uint256)",
    ])
  })

  it("each parameter of an event states whether it is indexed, as programs that read the ABI expect; no other one does", () => {
    const parts = tuple([{ type: "bool", name: "a", indexed: true }])
    const inputs = [{ type: "address", name: "by", indexed: true }, parts, { type: "bool", name: "b", indexed: "true" }]
    const indexedOf = (type: string) => read([{ type, name: "X", inputs }]).flatMap((item) => item.inputs)

    expect(indexedOf("event").map(({ indexed }) => indexed)).toEqual([true, false, false])
    expect(indexedOf("event")[1]?.components).toEqual([{ type: "bool", name: "a" }])
    expect(indexedOf("function").map(({ indexed }) => indexed)).toEqual([undefined, undefined, undefined])
  })

  it("a constructor is kept with the code bytes before its arguments, and is not a signature", () => {
    const created = { type: "constructor", inputs: [{ type: "address", name: "owner" }], codeBytes: 7 }
    const { items, signatures } = Result.getOrThrow(ContractAbi.fromJson([created, transfer]))

    expect(items[0]).toEqual({ ...created, name: "", stateMutability: "nonpayable" })
    expect(signatures).toHaveLength(1)
    for (const codeBytes of [-1, 0, 1.5, "7"]) {
      expect(read([{ ...created, codeBytes, payable: true }])).toEqual([
        { type: "constructor", name: "", inputs: created.inputs, stateMutability: "payable" },
      ])
    }
    expect(read([{ type: "constructor", inputs: "x" }])).toEqual([])
  })

  it("a function has its state mutability, also in the form of compilers before Solidity 0.6", () => {
    const mutabilityOf = (stated: object) =>
      read([{ type: "function", name: "f", inputs: [], outputs: [], ...stated }]).map((item) => item.stateMutability)

    for (const stateMutability of ["view", "pure", "payable", "nonpayable"]) {
      expect(mutabilityOf({ stateMutability })).toEqual([stateMutability])
    }
    expect(mutabilityOf({ constant: true, payable: false })).toEqual(["view"])
    expect(mutabilityOf({ constant: false, payable: true })).toEqual(["payable"])
    expect([mutabilityOf({}), mutabilityOf({ stateMutability: "other" })]).toEqual([["nonpayable"], ["nonpayable"]])
  })

  it("names of enum values are kept only for a uint8, if all are identifiers and there are at most 256", () => {
    const enumOf = (type: string, names: unknown) =>
      Result.getOrThrow(
        ContractAbi.fromJson([
          { type: "function", name: "f", inputs: [{ type, name: "x", enum: names }], outputs: [] },
        ]),
      ).items[0]?.inputs[0]?.enum

    expect(enumOf("uint8", ["Short", "Long"])).toEqual(["Short", "Long"])
    expect(enumOf("uint8[]", ["Short"])).toEqual(["Short"])
    expect(enumOf("uint16", ["Short"])).toBeUndefined()
    expect(enumOf("uint8", ["<b>"])).toBeUndefined()
    expect([enumOf("uint8", []), enumOf("uint8", "Short")]).toEqual([undefined, undefined])
    const values = Array.from({ length: 257 }, (_, at) => `Value${at}`)
    expect(enumOf("uint8", values)).toBeUndefined()
    expect(enumOf("uint8", values.slice(1))).toEqual(values.slice(1))
  })

  it.each([
    ["256 parameters with those of its tuples", { inputs: bools(200), outputs: [tuple(bools(55))] }, true],
    ["257 parameters with those of its tuples", { inputs: bools(200), outputs: [tuple(bools(56))] }, false],
    ["tuples in 16 levels", { inputs: [], outputs: [nested(16)] }, true],
    ["tuples in 17 levels", { inputs: [], outputs: [nested(17)] }, false],
    ["a type of 100 characters", { inputs: [], outputs: [{ type: `uint8${"[1234]".repeat(15)}[123]` }] }, true],
    ["a type of 101 characters", { inputs: [], outputs: [{ type: `uint8${"[1234]".repeat(16)}` }] }, false],
  ])("the outputs of a function with %s are read or omitted", (_, parts, isRead) => {
    const [item] = read([{ type: "function", name: "f", ...parts }])

    expect(item?.outputs !== undefined).toBe(isRead)
  })

  it("malformed items are omitted: unknown types, deep tuples, anonymous events, and names that are not identifiers", () => {
    const broken: ReadonlyArray<unknown> = [
      null,
      7,
      [],
      "event Sent()",
      { type: "function", name: "f" },
      { type: "function", name: "f", inputs: "x" },
      { type: "function", inputs: [] },
      { type: "function", name: null, inputs: [] },
      { type: "function", name: "f", inputs: [null] },
      { type: "function", name: "f", inputs: [{ name: "x" }] },
      { type: "function", name: "f", inputs: [{ name: "x", type: 7 }] },
      { type: "function", name: "f", inputs: [{ type: "uint7" }] },
      { type: "function", name: "f", inputs: [{ type: "tuple" }] },
      { type: "function", name: "f", inputs: [{ type: "tuple", components: [] }] },
      { type: "function", name: "f", inputs: [{ type: "uint256[0]" }] },
      { type: "function", name: "f", inputs: [{ type: "x".repeat(1_000) }] },
      { type: "function", name: "f", inputs: [nested(40)] },
      { type: "function", name: "f", inputs: Array.from({ length: 300 }, () => ({ type: "bool" })) },
      { type: "function", name: "<script>", inputs: [] },
      { type: "function", name: "f".repeat(101), inputs: [] },
      { type: "event", name: "E", anonymous: true, inputs: [] },
      { type: "event", name: "E", inputs: Array.from({ length: 4 }, () => ({ type: "bool", indexed: true })) },
      { type: "__proto__", name: "f", inputs: [] },
    ]
    for (const item of broken) expect([item, read([item])]).toEqual([item, []])
    const nameless = {
      type: "function",
      name: "f",
      inputs: [{ type: "bool", name: "" }],
      stateMutability: "nonpayable",
    }
    for (const more of [{ name: '"><b>' }, {}, { name: null }, { name: "", components: [{ type: "bool" }] }]) {
      expect(read([{ type: "function", name: "f", inputs: [{ ...more, type: "bool" }] }])).toStrictEqual(
        read([nameless]),
      )
    }
    expect(read([nameless])).toEqual([nameless])
    expect(read([{ ...event, outputs: [] }])[0]).toEqual(event)
  })

  it("count: an ABI has a type for each item, parameter, member of a tuple and level of a list", () => {
    const { list, types } = Result.getOrThrow(
      ContractAbi.count([transfer, event, error, null, { inputs: [{}, { type: 7 }] }]),
    )

    expect([list.length, types]).toEqual([5, 14])
  })

  it("count: counts at most 16 levels of a list, and no deeper tuples than are read", () => {
    const typesOf = (parameter: object) =>
      Result.getOrThrow(ContractAbi.count([{ type: "function", inputs: [null, parameter] }])).types
    const lists = (levels: number) => ({ type: `uint8${"[]".repeat(levels)}` })

    expect([0, 15, 16, 17].map((levels) => typesOf(lists(levels)))).toEqual([2, 17, 18, 18])
    expect([0, 16, 17, 40].map((levels) => typesOf(nested(levels)))).toEqual([2, 18, 18, 18])
  })

  it("count, firstItems: take 4,096 items with 32,768 types", () => {
    const item = (types: number) =>
      ({ type: "event", name: "E", inputs: bools(types - 1) }) as unknown as ContractAbi.Item
    const items = (last: number) => [...Array.from({ length: 4_095 }, () => item(8)), item(last)]
    const small = Array.from({ length: 4_097 }, () => item(1))

    expect(Result.getOrThrow(ContractAbi.count(items(8))).types).toBe(32_768)
    expect(Result.isFailure(ContractAbi.count(items(9)))).toBe(true)
    expect([items(8), items(9), small].map((list) => ContractAbi.firstItems(list).length)).toEqual([
      4_096, 4_095, 4_096,
    ])
  })

  it("read: yields after each item, so that a long ABI does not block the event loop", () => {
    const counted = Result.getOrThrow(ContractAbi.count(Array.from({ length: 300 }, () => transfer)))

    expect([...ContractAbi.read(counted)]).toHaveLength(300)
  })

  it("firstItems: an ABI that is joined from others ends before the first item that does not fit", () => {
    const item = {
      type: "event",
      name: "E",
      inputs: Array.from({ length: 200 }, () => ({ name: "", type: "uint8[]" })),
    }
    const items = Array.from({ length: 100 }, () => item as ContractAbi.Item)

    expect(ContractAbi.firstItems(items)).toHaveLength(81)
    expect(read(ContractAbi.firstItems(items))).toHaveLength(81)
  })

  it("a text that is not an ABI is rejected with the reason", () => {
    expect(reasonOf("{")).toBe("Invalid ABI: expected JSON, received other text")
    expect(reasonOf('{"abi":"x"}')).toBe('Invalid ABI: expected an array, received "x"')
    expect(reasonOf("null")).toBe("Invalid ABI: expected an array, received null")
    expect(reasonOf('"x"')).toBe('Invalid ABI: expected an array, received "x"')
    expect(reasonOf("7")).toBe("Invalid ABI: expected an array, received 7")
    expect(reasonOf(JSON.stringify(Array.from({ length: 4_097 }, () => 0)))).toBe(
      "Invalid ABI: expected at most 4096 items, received 4097",
    )
    const levels = { name: "a", type: `uint256${"[]".repeat(15)}` }
    const deep = { type: "function", name: "f", inputs: Array.from({ length: 250 }, () => levels) }
    expect(reasonOf(JSON.stringify(Array.from({ length: 8 }, () => deep)))).toBeUndefined()
    expect(reasonOf(JSON.stringify(Array.from({ length: 9 }, () => deep)))).toBe(
      "Invalid ABI: expected at most 32768 items, parameters and levels of lists, received more",
    )
    expect(reasonOf("[]".padEnd(ContractAbi.maxBytes))).toBeUndefined()
    expect(reasonOf(" ".repeat(ContractAbi.maxBytes + 1))).toBe(
      "Invalid ABI: expected at most 8388608 bytes, received 8388609",
    )
  })
})
