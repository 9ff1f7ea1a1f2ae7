/**
 * The value of a decoded parameter as a tree: lists and structs with their members, each with its name, type and text. Values are in the
 * format of the service: a text, or compact JSON of an array or a tuple. Pure.
 */
import type { AbiItem, AbiParameter } from "@daybook/rest/ExplorerClient"
import { typeOf } from "../../contract/AbiText.ts"

/** A value, or a list or struct of values. */
export interface ValueTree {
  readonly name: string
  readonly type: string
  /** Undefined if the value has members. */
  readonly text: string | undefined
  /** Name of an enum value, if the ABI has it. */
  readonly label?: string | undefined
  readonly members: ReadonlyArray<ValueTree>
  /** Number of omitted members. */
  readonly hidden: number
}

/** A decoded parameter. */
export interface Param {
  readonly name: string
  readonly type: string
  readonly value: string
}

/** Maximum number of members shown per list or struct, and in total per parameter. */
const maxMembers = 100
const maxParameterNodes = 200

/** The member types in the parentheses of a tuple type. */
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

/** The definition of a value in the ABI. */
interface Known {
  readonly name: string
  readonly components?: ReadonlyArray<AbiParameter> | undefined
  readonly enum?: ReadonlyArray<string> | undefined
}

const leaf = ({ enum: names = [], name }: Known, type: string, text: string): ValueTree => {
  const label = /^\d{1,3}$/.test(text) ? names[Number(text)] : undefined
  return { name, type, text, label, members: [], hidden: 0 }
}

/** Remaining number of members that a parameter may show. */
interface Budget {
  nodes: number
}

/** Makes the tree of the member at an index. */
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

/** Makes the tree of a parameter, of bounded size. Struct members and enum values are named if the ABI names them. */
export const make = ({ name, type, value }: Param, known?: AbiParameter, maxNodes = maxParameterNodes): ValueTree => {
  const isNested = /[\])]$/.test(type)
  const given = isNested ? (parse(value) ?? value) : value
  return treeOf(type, given, { ...known, name }, { nodes: maxNodes })
}

/** The signature of an item; a constructor's starts with its type, as it has no name. */
const signatureOf = ({ inputs, name, type }: AbiItem): string =>
  `${type === "constructor" ? type : name}(${inputs.map(typeOf).join(",")})`

/** The ABI item with a signature; undefined if there is none. */
export const itemOf = (
  abis: ReadonlyArray<ReadonlyArray<AbiItem>>,
  kind: "event" | "function" | "constructor",
  signature: string,
): AbiItem | undefined => abis.flat().find((item) => item.type === kind && signature === signatureOf(item))

/** Whether a topic has the hash of the value instead of the value, as for an indexed string, list or struct. */
export const isHash = ({ type, value }: Param, topics: ReadonlyArray<string>): boolean =>
  /^(?:string|bytes)$|[\])]$/.test(type) && topics.includes(value)

/** Names of parameters that hold a timestamp in seconds. */
const timeName = /deadline|expir|until|timestamp|valid(?:After|Before)|(?:start|end|unlock|release|lock)_?(?:time|at)$/i

/** Plausible timestamps: from 2009 to 2100. */
const [firstSeconds, lastSeconds] = [1_230_000_000n, 4_110_000_000n]

/** The timestamp in seconds of a number whose name suggests one; undefined for other numbers. */
export const secondsOf = ({ name, text, type }: Pick<ValueTree, "name" | "text" | "type">): bigint | undefined => {
  if (text === undefined || !/^u?int\d*$/.test(type) || !/^\d{10}$/.test(text) || !timeName.test(name)) return undefined
  const seconds = BigInt(text)
  return seconds >= firstSeconds && seconds <= lastSeconds ? seconds : undefined
}

/** Signatures with a parameter that is an amount of the token that is called or that emitted the log. */
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

/** Index of the parameter that is an amount of the contract's own token; undefined if none is known. */
export const amountIndex = (signature: string): number | undefined => amountParams.get(signature)
