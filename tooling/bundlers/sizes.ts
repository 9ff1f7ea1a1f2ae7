/**
 * Download size of the clients in a page, for four bundlers: `pnpm sizes`. Fails if a size differs by more than 1 KiB from the table in the
 * README of `@daybook/rest`; `--write` writes the table. Each program is minified and compressed with gzip.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as esbuild from "esbuild"
import * as PeerInstall from "../bench/PeerInstall.ts"
import { bundle, esbuildKibibytes, type Program, programs } from "../check/BrowserBundle.ts"
import { manifest, report, root } from "../check/Workspace.ts"

PeerInstall.install(import.meta.dirname)

const { rollup } = await import("rollup")
const { nodeResolve } = await import("@rollup/plugin-node-resolve")
const { default: webpack } = await import("webpack")

const kibibytes = (text: string | Uint8Array): number => gzipSync(text, { level: 9 }).length / 1024

/** Runs a bundler on a program file. */
const withEntry = async <A>({ folder, source }: Program, use: (entry: string) => Promise<A>): Promise<A> => {
  const own = join(root, folder, "node_modules/.sizes")
  rmSync(own, { recursive: true, force: true })
  mkdirSync(own, { recursive: true })
  try {
    const entry = join(own, "program.ts")
    writeFileSync(entry, source)
    return await use(entry)
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

const stripTypes = {
  name: "strip-types",
  transform: async (text: string, id: string) => {
    if (!id.endsWith(".ts")) return null
    const { code } = await esbuild.transform(text, { loader: "ts", target: "es2022" })
    return { code, map: null }
  },
}

const byRollup = (program: Program): Promise<number> =>
  withEntry(program, async (input) => {
    const resolve = nodeResolve({ browser: true, extensions: [".ts", ".js", ".mjs"] })
    const built = await rollup({ input, plugins: [resolve, stripTypes], onwarn: () => undefined })
    const { output } = await built.generate({ format: "es", inlineDynamicImports: true })
    const { code } = await esbuild.transform(output[0].code, { minify: true, target: "es2022", format: "esm" })
    return kibibytes(code)
  })

const byWebpack = (program: Program): Promise<number> =>
  withEntry(program, async (entry) => {
    const path = join(entry, "../dist")
    const compiler = webpack({
      mode: "production",
      target: ["web", "es2022"],
      entry,
      output: { path, filename: "program.js", module: true },
      experiments: { outputModule: true },
      performance: false,
      module: { rules: [{ test: /\.ts$/, loader: join(import.meta.dirname, "stripTypes.mjs") }] },
      resolve: { extensions: [".ts", ".js"] },
    })
    await new Promise<void>((done, fail) => {
      compiler?.run((error, stats) => {
        if (error !== null || stats === undefined || stats.hasErrors())
          fail(error ?? new Error(stats?.toString("errors-only")))
        else done()
      })
    })
    return kibibytes(readFileSync(join(path, "program.js")))
  })

const bundlers = [
  { name: "esbuild", folder: root, size: esbuildKibibytes },
  { name: "rollup", folder: import.meta.dirname, size: byRollup },
  { name: "webpack", folder: import.meta.dirname, size: byWebpack },
  { name: "vite", folder: root, size: async (program: Program) => (await bundle(program)).kibibytes },
] as const

const versionOf = ({ folder, name }: (typeof bundlers)[number]): string => {
  const found = createRequire(join(folder, "package.json")).resolve(
    name === "vite" ? "vite/package.json" : `${name}/package.json`,
  )
  return manifest(join(found, "..")).version
}

const measured = [
  "rest, promise API",
  "rest, Effect API",
  "addresses and units alone, from rest",
  "rpc, promise API",
  "rpc, Effect API",
]

const rows: Array<readonly [name: string, ...sizes: Array<number>]> = []
for (const name of measured) {
  const program = programs[name]
  const sizes: Array<number> = []
  for (const bundler of bundlers) sizes.push(await bundler.size(program))
  rows.push([name, ...sizes])
}

const table = [
  `| KiB after gzip | ${bundlers.map((bundler) => `${bundler.name} ${versionOf(bundler)}`).join(" | ")} |`,
  `|---|${bundlers.map(() => "---|").join("")}`,
  ...rows.map(([name, ...sizes]) => `| ${name} | ${sizes.map((size) => size.toFixed(1)).join(" | ")} |`),
].join("\n")

const document = "packages/rest/README.md"
const text = readFileSync(join(root, document), "utf8")
const [begin, end] = ["<!-- sizes -->\n", "<!-- end of sizes -->"]
const [before, rest = ""] = text.split(begin) as [string, string?]
const [old = "", after = ""] = rest.split(end)
if (process.argv.includes("--write")) writeFileSync(join(root, document), `${before}${begin}${table}\n${end}${after}`)
else console.log(table)

/** The sizes of a row of a table. */
const sizesOf = (shown: string, name: string): ReadonlyArray<number> =>
  (shown.split("\n").find((line) => line.startsWith(`| ${name} |`)) ?? "").split("|").slice(2, -1).map(Number)
const issues = process.argv.includes("--write")
  ? []
  : rows.flatMap(([name, ...sizes]) => {
      const stated = sizesOf(old, name)
      const isSame = sizes.every((size, at) => Math.abs(size - (stated[at] ?? Number.NaN)) <= 1)
      return isSame ? [] : [`${name}: ${document} has another size; run pnpm sizes --write`]
    })
report("sizes", issues, `${rows.length} programs by ${bundlers.map(({ name }) => name).join(", ")}`)
