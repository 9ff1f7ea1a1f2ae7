import { describe, expect, it } from "vitest"
import type { AbiItem } from "@daybook/rest/ExplorerClient"
import * as ValueTree from "../../../src/pages/transaction/ValueTree.ts"

const lock = {
  name: "lock",
  type: "tuple",
  components: [
    { name: "owner", type: "address" },
    {
      name: "parts",
      type: "tuple[]",
      components: [
        { name: "amount", type: "uint256" },
        { name: "", type: "bytes32" },
      ],
    },
  ],
}

const owner = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const value = `["${owner}",[["5","0xab"],["6","0xcd"]]]`
const type = "(address,(uint256,bytes32)[])"

/** A tree in short form: the name with the text, or with its members. */
const shortOf = ({ members, name, text }: ValueTree.ValueTree): unknown =>
  text === undefined ? { [name]: members.map(shortOf) } : `${name}=${text}`

describe("ValueTree", () => {
  it("names the fields of a struct by the ABI, and unnamed ones by position", () => {
    expect(shortOf(ValueTree.make({ name: "lock", type, value }, lock))).toEqual({
      lock: [`owner=${owner}`, { parts: [{ 0: ["amount=5", "1=0xab"] }, { 1: ["amount=6", "1=0xcd"] }] }],
    })
    expect(shortOf(ValueTree.make({ name: "", type, value }))).toEqual({
      "": [`0=${owner}`, { 1: [{ 0: ["0=5", "1=0xab"] }, { 1: ["0=6", "1=0xcd"] }] }],
    })
  })

  it("names the value of an enum by the ABI, even in lists, and none beyond its values", () => {
    const term = { name: "term", type: "uint8", enum: ["Short", "Long"] }

    expect(ValueTree.make({ name: "term", type: "uint8", value: "1" }, term).label).toBe("Long")
    expect(ValueTree.make({ name: "term", type: "uint8", value: "2" }, term).label).toBeUndefined()
    const list = ValueTree.make({ name: "terms", type: "uint8[]", value: '["0","1"]' }, { ...term, type: "uint8[]" })
    expect(list.members.map(({ label }) => label)).toEqual(["Short", "Long"])
  })

  it("shows the type of each member, and how many of a long list are omitted", () => {
    const tree = ValueTree.make({
      name: "owners",
      type: "address[]",
      value: JSON.stringify(Array.from({ length: 250 }, () => owner)),
    })

    expect(tree.members[0]).toMatchObject({ name: "0", type: "address", text: owner })
    expect([tree.members.length, tree.hidden]).toEqual([100, 150])
  })

  it("shows at most 200 members of a parameter on all levels together, and counts omitted ones where they would be", () => {
    const lists = Array.from({ length: 90 }, () => Array.from({ length: 90 }, () => "1"))
    const countOf = ({ members }: ValueTree.ValueTree): number =>
      members.reduce((sum, member) => sum + 1 + countOf(member), 0)

    const tree = ValueTree.make({ name: "lists", type: "uint256[][]", value: JSON.stringify(lists) })

    expect(countOf(tree)).toBe(200)
    expect([tree.members.length, tree.hidden]).toEqual([3, 87])
    expect(tree.members.map(({ hidden, members }) => [members.length, hidden])).toEqual([
      [90, 0],
      [90, 0],
      [17, 73],
    ])
  })

  it("shows a value that does not fit its type unchanged", () => {
    for (const text of ["[", "{}", `"x"`, "12"]) {
      const tree = ValueTree.make({ name: "a", type: "uint256[]", value: text })
      expect(tree.members).toEqual([])
      expect(tree.text).toContain(text.replaceAll('"', ""))
    }
    expect(ValueTree.make({ name: "a", type: "string", value: "[1]" }).text).toBe("[1]")
  })

  it("finds the ABI item by the signature of the decoded item", () => {
    const item: AbiItem = { type: "function", name: "open", inputs: [lock] }
    const abis = [[{ ...item, type: "event" } as const], [item]]

    expect(ValueTree.itemOf(abis, "function", `open(${type})`)).toBe(item)
    expect(ValueTree.itemOf(abis, "function", "open(address)")).toBeUndefined()
  })

  it("treats the topic of an indexed string, list or struct as its hash, and no other value", () => {
    const topic = `0x${"12".repeat(32)}`

    expect(ValueTree.isHash({ name: "note", type: "string", value: topic }, [topic])).toBe(true)
    expect(ValueTree.isHash({ name: "ids", type: "uint256[]", value: topic }, [topic])).toBe(true)
    expect(ValueTree.isHash({ name: "id", type: "bytes32", value: topic }, [topic])).toBe(false)
    expect(ValueTree.isHash({ name: "note", type: "string", value: topic }, [])).toBe(false)
  })

  it("recognises a number as an instant only by its name and size", () => {
    const secondsOf = (name: string, text: string) => ValueTree.secondsOf({ name, text, type: "uint256" })

    expect(secondsOf("deadline", "1795475258")).toBe(1_795_475_258n)
    expect(secondsOf("_validUntil", "1795475258")).toBe(1_795_475_258n)
    expect(secondsOf("amount", "1795475258")).toBeUndefined()
    expect(secondsOf("deadline", "9999999999")).toBeUndefined()
    expect(secondsOf("until", "5")).toBeUndefined()
  })
})
