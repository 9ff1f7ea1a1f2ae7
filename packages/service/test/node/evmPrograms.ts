/** Small EVM programs with random calls, creations and final instructions, to compare tracers. */
import type * as Random from "@daybook/testkit/internal/Random"

const hexOf = (value: number | bigint, bytes: number): string => value.toString(16).padStart(bytes * 2, "0")

const push = (value: number | bigint, bytes = 4): string => `${(0x5f + bytes).toString(16)}${hexOf(value, bytes)}`

const pushAddress = (address: string): string => push(BigInt(address), 20)

const pop = "50"

/** Stores up to 32 bytes of code at the start of memory, left-aligned. */
const store = (code: string): string => `7f${code.padEnd(64, "0")}5f52`

/** Init codes of at most 32 bytes, by their outcome. */
const initCodes: ReadonlyArray<readonly [name: string, code: string]> = [
  ["nothing", ""],
  ["stop", "00"],
  ["deploys a byte", "60005f5360015ff3"],
  ["deploys 0xef", "60ef5f5360015ff3"],
  ["deploys 30,000 bytes", "6175305ff3"],
  ["reverts", "5f5ffd"],
  ["reverts with data", "60205ffd"],
  ["invalid", "fe"],
  ["destroys itself", "33ff"],
  ["calls its creator", "5f5f5f5f5f335af1"],
  ["calls an account and reverts", "5f5f5f5f5f61dead5af15f5ffd"],
  ["calls, knowing its address, and reverts", "305f5f5f5f5f61dead5af15f5ffd"],
  ["creates", "5f5f5ff0"],
]

/** Final instructions of a program. */
const endings: ReadonlyArray<readonly [name: string, code: string]> = [
  ["stop", "00"],
  ["runs off its end", ""],
  ["returns", "60405ff3"],
  ["reverts", "60205ffd"],
  ["invalid", "fe"],
  ["unknown instruction", "0c"],
  ["bad jump", "60ff56"],
  ["stack underflow", "01"],
  ["out of gas", "5b60005b600056"],
  ["out of memory", "7cffffffffffffffffffffffffffffffffffffffffffffffffffffffffff51"],
  ["returns too much", "7cffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5ff3"],
  ["return data out of bounds", "61ffff5f5f3e"],
  ["writes", "60015f5500"],
  ["destroys itself for its caller", "33ff"],
  ["destroys itself for an account", "61beefff"],
]

const operations = ["f1", "f2", "f4", "fa"] as const

const callOf = ({ integer, pick }: Random.Random, targets: ReadonlyArray<string>): string => {
  const operation = pick(operations)
  const hasValue = operation === "f1" || operation === "f2"
  const target = integer(3) === 0 ? hexOf(pick([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x100]), 20) : pick(targets)
  const gas = pick(["5a", "5a", push(integer(60_000)), push(2_000_000_000)])
  const value = hasValue ? push(pick([0, 0, 1, 3, 1_000_000_000])) : ""
  const [inSize, outSize] = [pick([0, 0, 32, 96, 192, 213]), pick([0, 32, 64, 128])]
  const ranges = `${push(outSize)}${push(integer(100))}${push(inSize)}${push(integer(40))}`
  const after = pick(["", "", "3d50", "3d5f5f3e"])
  return `${ranges}${value}${pushAddress(`0x${target.replace(/^0x/, "")}`)}${gas}${operation}${pop}${after}`
}

const creationOf = ({ integer, pick }: Random.Random): string => {
  const [, init] = pick(initCodes)
  const salted = integer(2) === 0
  const value = push(pick([0, 0, 1, 1_000_000_000]))
  const salt = salted ? push(integer(1_000_000)) : ""
  return `${store(init)}${salt}${push(init.length / 2)}${push(0)}${value}${salted ? "f5" : "f0"}${pop}`
}

/** Code of a program that calls the targets. */
export const program = (random: Random.Random, targets: ReadonlyArray<string>): string => {
  const parts = Array.from({ length: 1 + random.integer(5) }, () =>
    random.integer(3) === 0 ? creationOf(random) : callOf(random, targets),
  )
  const [, ending] = random.pick(endings)
  // Precompiled contracts receive some non-zero input.
  return `${store("ff")}${parts.join("")}${ending}`
}

/** Init code that deploys code. */
export const deploying = (code: string): string => {
  const size = code.length / 2
  // PUSH2 size, PUSH1 12, PUSH0, CODECOPY, PUSH2 size, PUSH0, RETURN
  return `0x61${hexOf(size, 2)}600c5f3961${hexOf(size, 2)}5ff3${code}`
}
