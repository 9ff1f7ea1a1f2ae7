/**
 * Comparisons and switches between rows of the clients and constants, as programs write them, each compiled by three TypeScript versions in
 * strict mode: `pnpm constants`. Fails if a line compiles that should be rejected, or the reverse, and if the table in
 * docs/guides/constants.md differs; `--write` writes the table.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as PeerInstall from "../bench/PeerInstall.ts"
import { report, root, run } from "../check/Workspace.ts"

PeerInstall.install(import.meta.dirname)

/** A line of a program. */
interface Line {
  readonly code: string
  readonly compiles: boolean
  readonly why: string
}

const [lower, sum] = ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"]
const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const refusedLiteral = "a literal has no brand: the compiler sees no overlap"
const viemText = "viem's type is any `0x` text, which overlaps; at run time a checksum never equals a row"
const branded = "both have the brand, in lower case"
const asText = "compared as text"

const yes = (code: string, why: string): Line => ({ code, why, compiles: true })
const no = (code: string, why: string): Line => ({ code, why, compiles: false })

const lines: ReadonlyArray<Line> = [
  no(`row.to_address === "${lower}"`, refusedLiteral),
  no(`row.to_address === "${sum}"`, "a row is in lower case, so this is never true"),
  no(`"${lower}" === row.to_address`, refusedLiteral),
  no(`row.to_address !== "${sum}"`, "always true"),
  no(`row.to_address == "${lower}"`, refusedLiteral),
  no(`row.hash === "0x1"`, "no hash is so short"),
  no(`log.topic0 === "${topic}"`, refusedLiteral),
  no(`movement.asset === "${lower}"`, refusedLiteral),
  yes(`movement.asset === "native"`, "one of the values of the type"),
  no(`movement.asset === "ether"`, "not one of the values of the type"),
  no(`(() => { switch (row.to_address) { case "${lower}": return 1; default: return 0 } })()`, refusedLiteral),
  no(`(() => { switch (movement.asset) { case "${sum}": return 1; default: return 0 } })()`, refusedLiteral),
  yes(
    `(() => { switch (movement.asset) { case "native": return 1; default: return 0 } })()`,
    "one of the values of the type",
  ),
  yes(
    `(() => { switch (row.to_address as string | null) { case "${lower}": return 1; default: return 0 } })()`,
    asText,
  ),
  yes(`(() => { switch (row.to_address) { case usdc: return 1; default: return 0 } })()`, branded),
  yes(`row.to_address === usdc`, branded),
  yes(`movement.asset === usdc`, branded),
  yes(`row.to_address === lowerText`, asText),
  yes(`row.to_address === viemAddress`, viemText),
  no(`row.to_address === zeroAddress`, "viem exports it as a literal"),
  yes(`row.to_address === getAddress("${lower}")`, viemText),
  yes(`isAddressEqual(row.from_address, viemAddress)`, "viem compares without the case, and takes an address of a row"),
  yes(`getAddress(row.from_address) === getAddress("${lower}")`, "both have a checksum"),
  yes(`[usdc].includes(row.from_address)`, branded),
  no(`["${lower}" as const].includes(row.from_address)`, "a literal list holds no address of a row"),
  yes(`new Set<string>(["${lower}"]).has(row.from_address)`, asText),
  no(`new Set(["${lower}" as const]).has(row.from_address)`, "a literal set holds no address of a row"),
  yes(`usdcByName[row.from_address]`, "an address is a text, and a key"),
  no(`takesAddress("${lower}")`, "a literal is no address before it was checked"),
  no(`takesAddress(lowerText)`, "a text is no address before it was checked"),
  no(`takesAddress(viemAddress)`, "viem's type holds a checksum"),
  yes(`takesAddress(usdc)`, branded),
  yes(`takesViem(row.from_address)`, "an address of a row is a `0x` text"),
  no(`row.value === 0`, "an amount is a bigint"),
  yes(`row.value === 0n`, "an amount is a bigint"),
  no(`row.receipt_status === "1"`, "a status is a number"),
]

const head = `import type { Address } from "@daybook/schema/Address"
import * as AddressText from "@daybook/schema/AddressText"
import type { Log } from "@daybook/schema/Log"
import type { Movement } from "@daybook/schema/Movement"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import { getAddress, isAddressEqual, zeroAddress, type Address as ViemAddress } from "viem"
declare const row: WalletTransaction
declare const log: Log
declare const movement: Movement
declare const takesAddress: (address: Address) => boolean
declare const takesViem: (address: ViemAddress) => boolean
declare const usdcByName: Readonly<Record<string, string>>
const viemAddress: ViemAddress = "${sum}"
const lowerText: string = "${lower}"
const usdc = AddressText.fromText("${lower}")!
export const results = [
  row, log, movement, takesAddress, takesViem, usdcByName, viemAddress, lowerText, usdc, getAddress, isAddressEqual, zeroAddress,
`
const headLines = head.split("\n").length - 1
const program = `${head}${lines.map(({ code }) => `  ${code},`).join("\n")}\n]\n`

const compilers = [
  ["5.9", join(import.meta.dirname, "node_modules/typescript-5.9/bin/tsc")],
  ["6", join(import.meta.dirname, "node_modules/typescript/bin/tsc")],
  ["7", join(root, "node_modules/typescript/bin/tsc")],
] as const

const config = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["node"],
  },
  files: ["program.ts"],
}

/** A compiler's error for each line; `undefined` if the line compiles. */
const compile = async (tsc: string, folder: string): Promise<ReadonlyArray<string | undefined>> => {
  const { output } = await run(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { timeoutMillis: 300_000 })
  const errors = new Map<number, string>()
  for (const [message, file = "", line, code = ""] of output.matchAll(/^(\S+?)\((\d+),\d+\): error (TS\d+).*/gm)) {
    const at = Number(line) - headLines - 1
    const isOfLine = file.endsWith("program.ts") && at >= 0 && at < lines.length
    if (!isOfLine) throw new Error(`Unexpected error: ${message}`)
    errors.set(at, code)
  }
  return lines.map((_, at) => errors.get(at))
}

const folder = join(root, "packages/rpc/.constants")
const found: Array<ReadonlyArray<string | undefined>> = []
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
try {
  writeFileSync(join(folder, "program.ts"), program)
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  for (const [, tsc] of compilers) found.push(await compile(tsc, folder))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

const cell = (code: string | undefined): string => code ?? "compiles"
const shown = (code: string): string =>
  code.replaceAll(/0x([0-9a-fA-F]{4})[0-9a-fA-F]{30,}/g, "0x$1...").replace(/^\(\(\) => \{ (switch .*) \}\)\(\)$/, "$1")

const table = [
  `| expression | ${compilers.map(([version]) => `TypeScript ${version}`).join(" | ")} | why |`,
  `|---|${compilers.map(() => "---|").join("")}---|`,
  ...lines.map(
    ({ code, why }, at) =>
      `| \`${shown(code).replaceAll("|", "\\|")}\` | ${found.map((errors) => cell(errors[at])).join(" | ")} | ${why} |`,
  ),
].join("\n")

const document = "docs/guides/constants.md"
const text = readFileSync(join(root, document), "utf8")
const [begin, end] = ["<!-- constants -->\n", "<!-- end of constants -->"]
const written = `${text.slice(0, text.indexOf(begin) + begin.length)}${table}\n${text.slice(text.indexOf(end))}`
if (process.argv.includes("--write")) writeFileSync(join(root, document), written)

const issues = lines.flatMap(({ code, compiles }, at) =>
  found.flatMap((errors, compiler) =>
    (errors[at] === undefined) === compiles
      ? []
      : [`TypeScript ${compilers[compiler]?.[0]}: ${code}: ${cell(errors[at])}`],
  ),
)
if (!process.argv.includes("--write") && written !== text)
  issues.push(`${document}: another table; run pnpm constants --write`)
const refused = lines.filter(({ compiles }) => !compiles).length
report(
  "constants",
  issues,
  `${lines.length} lines, of which ${refused} are refused, alike in ${compilers.map(([version]) => version).join(", ")}`,
)
