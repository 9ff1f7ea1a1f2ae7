/**
 * The value of a decoded parameter as a tree: lists and structs with their members, each with its name, type and text. Values come as the
 * service writes them: a text, or compact JSON of an array or a tuple. Pure.
 */
import type { AbiItem, AbiParameter } from "@daybook/rest/ExplorerClient"
import { typeOf } from "../../contract/AbiText.ts"

/** A value, or a list or struct of values. */
export interface ValueTree {
  readonly name: string
  readonly type: string
  /** Undefined where it has members. */
  readonly text: string | undefined
  /** Name of the value of an enum, where the ABI has it. */
  readonly label?: string | undefined
  readonly members: ReadonlyArray<ValueTree>
  /** Members that are left out. */
  readonly hidden: number
}

/** A decoded parameter. */
export interface Param {
  readonly name: string
  readonly type: string
  readonly value: string
}

/** Members of a list or a struct that are shown, and of all lists and structs of a parameter together. */
const maxMembers = 100
const maxParameterNodes = 200

/** The types between the parentheses of a tuple. */
const memberTypes = (type: string): ReadonlyArray<string> => {
  const types: Array<string> = []
  let [level, start] = [0, 1]
  for (let at = 1; at < type.length - 1; at++) {
    if (type[at] === "(") level++
    else if (type[at] === ")") level--
    else if (type[at] === "," && level === 0) {
      types.push(type.slice(start, at))
      start = at + 1
    }
  }
  return [...types, type.slice(start, -1)]
}

/** What the ABI has of a value. */
interface Known {
  readonly name: string
  readonly components?: ReadonlyArray<AbiParameter> | undefined
  readonly enum?: ReadonlyArray<string> | undefined
}

const leaf = ({ enum: names = [], name }: Known, type: string, text: string): ValueTree => {
  const label = /^\d{1,3}$/.test(text) ? names[Number(text)] : undefined
  return { name, type, text, label, members: [], hidden: 0 }
}

/** Members that a parameter may still show. */
interface Budget {
  nodes: number
}

/** The tree of one member, by its place. */
type MemberTree = (member: unknown, at: number) => ValueTree

const branch = (
  { name, type }: Pick<ValueTree, "name" | "type">,
  values: ReadonlyArray<unknown>,
  budget: Budget,
  treeAt: MemberTree,
): ValueTree => {
  const members: Array<ValueTree> = []
  for (const [at, value] of values.slice(0, maxMembers).entries()) {
    if (budget.nodes === 0) break
    budget.nodes--
    members.push(treeAt(value, at))
  }
  return { name, type, text: undefined, members, hidden: values.length - members.length }
}

const treeOf = (type: string, value: unknown, known: Known, budget: Budget): ValueTree => {
  const { components = [], name } = known
  if (type.endsWith("]") && Array.isArray(value)) {
    const element = type.slice(0, type.lastIndexOf("["))
    return branch({ name, type }, value, budget, (one, at) =>
      treeOf(element, one, { ...known, name: String(at) }, budget),
    )
  }
  if (type.startsWith("(") && type.endsWith(")") && Array.isArray(value)) {
    const types = memberTypes(type)
    return branch({ name, type }, value, budget, (one, at) => {
      const component = components[at]
      const own = component?.name === undefined || component.name === "" ? String(at) : component.name
      return treeOf(types[at] ?? "", one, { ...component, name: own }, budget)
    })
  }
  return leaf(known, type, typeof value === "string" ? value : (JSON.stringify(value) ?? ""))
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Makes the tree of a parameter, of bounded size; members of structs and values of enums have names where the ABI has them. */
export const make = ({ name, type, value }: Param, known?: AbiParameter, maxNodes = maxParameterNodes): ValueTree => {
  const isNested = /[\])]$/.test(type)
  const given = isNested ? (parse(value) ?? value) : value
  return treeOf(type, given, { ...known, name }, { nodes: maxNodes })
}

/** The signature of an item; that of a constructor has no name of its own. */
const signatureOf = ({ inputs, name, type }: AbiItem): string =>
  `${type === "constructor" ? type : name}(${inputs.map(typeOf).join(",")})`

/** The item of an ABI with a signature; undefined where none has it. */
export const itemOf = (
  abis: ReadonlyArray<ReadonlyArray<AbiItem>>,
  kind: "event" | "function" | "constructor",
  signature: string,
): AbiItem | undefined => abis.flat().find((item) => item.type === kind && signature === signatureOf(item))

/** A topic has the hash of an indexed text, list or struct, not the value. */
export const isHash = ({ type, value }: Param, topics: ReadonlyArray<string>): boolean =>
  /^(?:string|bytes)$|[\])]$/.test(type) && topics.includes(value)

/** Names of parameters that hold an instant in seconds. */
const timeName = /deadline|expir|until|timestamp|valid(?:After|Before)|(?:start|end|unlock|release|lock)_?(?:time|at)$/i

/** From 2009 to 2100. */
const [firstSeconds, lastSeconds] = [1_230_000_000n, 4_110_000_000n]

/** The instant that a number states by its name, in seconds; undefined for another number. */
export const secondsOf = ({ name, text, type }: Pick<ValueTree, "name" | "text" | "type">): bigint | undefined => {
  if (text === undefined || !/^u?int\d*$/.test(type) || !/^\d{10}$/.test(text) || !timeName.test(name)) return undefined
  const seconds = BigInt(text)
  return seconds >= firstSeconds && seconds <= lastSeconds ? seconds : undefined
}

/** Parameters that are an amount of the token whose contract is called, or logged them. */
const amountParams: ReadonlyMap<string, number> = new Map([
  ["Transfer(address,address,uint256)", 2],
  ["Approval(address,address,uint256)", 2],
  ["Deposit(address,uint256)", 1],
  ["Withdrawal(address,uint256)", 1],
  ["transfer(address,uint256)", 1],
  ["transferFrom(address,address,uint256)", 2],
  ["approve(address,uint256)", 1],
  ["increaseAllowance(address,uint256)", 1],
  ["decreaseAllowance(address,uint256)", 1],
  ["mint(address,uint256)", 1],
  ["burn(uint256)", 0],
  ["burnFrom(address,uint256)", 1],
])

/** Index of the parameter that is an amount of the contract's own token; undefined where none is known to be. */
export const amountIndex = (signature: string): number | undefined => amountParams.get(signature)
