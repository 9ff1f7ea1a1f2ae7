import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as ContractAbi from "../../src/contract/ContractAbi.ts"
import * as ContractDecoder from "../../src/contract/ContractDecoder.ts"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as Signature from "@daybook/abi/Signature"
import type { Contract } from "../../src/store/Contracts.ts"
import * as Steps from "../../src/supervision/Steps.ts"

const builtIn = KnownSignatures.decoder()
const [token, proxy, first, second, other] = ["a", "b", "c", "d", "e"].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
  string,
]

const word = (value: number): string => value.toString(16).padStart(64, "0")
const functionOf = (name: string, parameter: string, type = "uint256") => ({
  type: "function",
  name,
  inputs: [{ name: parameter, type }],
})
const abiOf = (...items: ReadonlyArray<unknown>): string =>
  JSON.stringify(Result.getOrThrow(ContractAbi.fromJson(items)).items)
const contract = (address: string | null, abi: string, more: Partial<Contract> = {}): Contract => ({
  address,
  name: "Own",
  source: "command",
  abi,
  implementations: [],
  ...more,
})

const make = (contracts: ReadonlyArray<Contract>) => Steps.runSync(ContractDecoder.make(contracts, builtIn))

const selector = (canonical: string): string => Result.getOrThrow(Signature.fromText(`function ${canonical}`)).key
const topic = (canonical: string): string => Result.getOrThrow(Signature.fromText(`event ${canonical}`)).key

const bodyOf = (to: string | null, input: string, logs: ReadonlyArray<object> = []): string =>
  JSON.stringify({ hash: "0x1", to_address: to, input, logs, decoded_call: null })

const decodedCall = (contracts: ReadonlyArray<Contract>, to: string, input: string, block = 5) =>
  JSON.parse(make(contracts).decode(bodyOf(to, input), block)).decoded_call

const call = `${selector("poke(uint256)")}${word(7)}`
const transfer = `${selector("transfer(address,uint256)")}${word(1)}${word(2)}`

describe("ContractDecoder", () => {
  it("a call and an event of a known contract are decoded by its ABI", () => {
    const event = { type: "event", name: "Poked", inputs: [{ name: "by", type: "uint256", indexed: true }] }
    const decoder = make([contract(token, abiOf(functionOf("poke", "times"), event))])
    const log = {
      address: token,
      topic0: topic("Poked(uint256)"),
      topic1: `0x${word(3)}`,
      topic2: "",
      topic3: "",
      data: "0x",
    }

    const decoded = JSON.parse(decoder.decode(bodyOf(token, call, [log]), 1))

    expect(decoded.decoded_call).toEqual({
      signature: "poke(uint256)",
      label: "poke",
      type: "function",
      params: [{ name: "times", value: "7", type: "uint256" }],
    })
    expect(decoded.logs[0].decoded_event).toMatchObject({ label: "Poked", params: [{ name: "by", value: "3" }] })
    expect([decoder.nameOf(token), decoder.nameOf(other)]).toEqual(["Own", null])
  })

  it("precedence is the contract, the implementation of its proxy, the built-in signatures, and packs", () => {
    const named = (name: string) => ({
      type: "function",
      name: "transfer",
      inputs: [
        { name, type: "address" },
        { name: "x", type: "uint256" },
      ],
    })
    const pack = contract(null, abiOf(named("ofPack")), { name: "pack" })
    const own = contract(token, abiOf(named("ofOwn")))
    const behind = contract(first, abiOf(named("ofImplementation")))
    const through = contract(proxy, "[]", { implementations: [{ from: 0, address: first }] })
    const nameIn = (contracts: ReadonlyArray<Contract>, to: string) =>
      decodedCall(contracts, to, transfer).params[0].name

    expect(nameIn([own, behind, through, pack], token)).toBe("ofOwn")
    expect(nameIn([own, behind, through, pack], proxy)).toBe("ofImplementation")
    // A pack decodes what the built-in signatures do not, and renames none of their parameters.
    expect(nameIn([own, behind, through, pack], other)).toBe("to")
    expect(decodedCall([contract(null, abiOf(functionOf("poke", "ofPack")))], other, call).params[0].name).toBe(
      "ofPack",
    )
    expect(nameIn([own], token)).toBe("ofOwn")
    // Of a contract without a matching item, the built-in signature stays.
    expect(nameIn([contract(token, abiOf(functionOf("poke", "x")))], token)).toBe("to")
  })

  it("an error is that of the contract, of its implementation, a standard one, and then of any known contract", () => {
    const errorOf = (name: string) => ({ type: "error", name: "Failed", inputs: [{ name, type: "uint256" }] })
    const decoder = make([
      contract(token, abiOf(errorOf("ofOwn"))),
      contract(first, abiOf(errorOf("ofImplementation"))),
      contract(proxy, "[]", { implementations: [{ from: 9, address: first }] }),
    ])
    const data = `${selector("Failed(uint256)")}${word(3)}`
    const nameIn = (address: string) => decoder.error(address, data)?.params[0]?.name

    expect([token, proxy, other].map(nameIn)).toEqual(["ofOwn", "ofImplementation", "ofOwn"])
    const standard = `${selector("OwnableUnauthorizedAccount(address)")}${word(1)}`
    expect(decoder.error(other, standard)?.label).toBe("OwnableUnauthorizedAccount")
    const renamed = make([contract(token, abiOf({ ...errorOf("text"), name: "Panic" }))])
    const panic = `${selector("Panic(uint256)")}${word(1)}`
    expect([token, other].map((address) => renamed.error(address, panic)?.params[0]?.name)).toEqual(["text", "code"])
    expect(decoder.error(other, `${selector("unknown()")}`)).toBeNull()
    expect(decoder.error(token, data.slice(0, -2))).toBeNull()
  })

  it("a proxy is decoded by the implementation that it had at the block of the transaction", () => {
    const contracts = [
      contract(proxy, "[]", {
        implementations: [
          { from: 3, address: first },
          { from: 6, address: second },
        ],
      }),
      contract(first, abiOf(functionOf("poke", "old"))),
      contract(second, abiOf(functionOf("poke", "new"))),
    ]
    const names = [2, 3, 5, 6, 99].map((block) => decodedCall(contracts, proxy, call, block)?.params[0].name)

    expect(names).toEqual([undefined, "old", "old", "new", "new"])
  })

  it("a row that concerns no known contract stays unchanged, to the character", () => {
    // Built-in signatures decode the second one, which they do when a row is stored.
    const contracts = [contract(token, abiOf(functionOf("poke", "x"))), contract(null, abiOf(functionOf("kick", "x")))]
    const decoder = make(contracts)
    for (const body of [
      bodyOf(other, call),
      bodyOf(other, transfer),
      bodyOf(null, call),
      ` ${bodyOf(other, "0x")}`,
      bodyOf(other, "0x", [{ address: other, topic0: "", data: `"address":"${token}"` }]),
    ]) {
      expect(decoder.decode(body, 1)).toBe(body)
    }
    expect(make([]).decode(bodyOf(token, transfer), 1)).toBe(bodyOf(token, transfer))
  })

  it("a row of a contract that has only a name concerns it and stays unchanged, to the character", () => {
    const decoder = make([contract(token, "[]"), contract(null, abiOf(functionOf("kick", "x")))])
    const body = bodyOf(token, transfer)

    expect(decoder.isConcerned(body)).toBe(true)
    expect(decoder.decode(body, 1)).toBe(body)
    expect(decoder.isConcerned(bodyOf(other, call))).toBe(false)
    expect(decoder.isConcerned(bodyOf(other, `${selector("kick(uint256)")}${word(7)}`))).toBe(true)
    expect(make([]).isConcerned(body)).toBe(false)
  })

  it("an event of a pack is decoded in a row that concerns no known contract", () => {
    const event = { type: "event", name: "Poked", inputs: [{ name: "by", type: "uint256" }] }
    const decoder = make([contract(null, abiOf(event))])
    const log = {
      address: other,
      topic0: topic("Poked(uint256)"),
      topic1: "",
      topic2: "",
      topic3: "",
      data: `0x${word(3)}`,
    }
    const body = bodyOf(other, "0x", [log])

    expect(decoder.isConcerned(body)).toBe(true)
    expect(JSON.parse(decoder.decode(body, 1)).logs[0].decoded_event.label).toBe("Poked")
  })

  it("functionOf: is the function of the contract at the latest block, a built-in one, or null", () => {
    const decoder = make([
      contract(proxy, "[]", { implementations: [{ from: 6, address: first }] }),
      contract(first, abiOf(functionOf("poke", "x"))),
    ])

    expect(decoder.functionOf(proxy, selector("poke(uint256)"))?.signature).toBe("poke(uint256)")
    expect(decoder.functionOf(other, selector("transfer(address,uint256)"))?.label).toBe("transfer")
    expect(decoder.functionOf(other, selector("poke(uint256)"))).toBeNull()
  })

  it("make: pauses after each 512 signatures of packs and errors of any ABI, as far as they are read", () => {
    const items = Array.from({ length: 600 }, (_, at) => functionOf(`act${at}`, "x"))
    const errors = items.slice(0, 424).map((item) => ({ ...item, type: "error" }))
    const abis = [abiOf(...items), abiOf(...errors)]
    const contracts = [contract(null, abis[0]!), contract(token, abis[1]!)]
    const read = new Map(
      abis.map((text) => [text, ContractDecoder.decoding(Result.getOrThrow(ContractAbi.fromText(text)))]),
    )
    const steps = (of: ReadonlyArray<Contract>) => [...ContractDecoder.make(of, builtIn, read)].length

    expect([steps(contracts), steps(contracts.slice(1)), steps([contract(token, abis[0]!)])]).toEqual([2, 0, 0])
    // One step for its item: an ABI that two contracts share is read once.
    const shared = [token, other].map((address) => contract(address, abiOf(functionOf("poke", "x"))))
    expect(steps(shared)).toBe(1)
  })

  it("a stored ABI that does not decode describes a contract without items", () => {
    const decoder = make([contract(token, "{"), contract(null, '"x"')])

    expect(JSON.parse(decoder.decode(bodyOf(token, call), 1)).decoded_call).toBeNull()
    expect(decoder.nameOf(token)).toBe("Own")
  })
})
