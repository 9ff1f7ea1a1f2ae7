/** Environments that run the packed packages: runtimes, bundlers, compilers, package managers, and the examples of each README. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Source from "../check/Source.ts"
import { root } from "../check/Workspace.ts"

/** One row of the table: what is installed next to the packages, and the commands. The output of the last command is checked. */
export interface Subject {
  readonly name: string
  readonly install: ReadonlyArray<string>
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
  /** Expected output of the last command. Default: the response of the service; `null` accepts anything. */
  readonly prints?: string | null
  /** Package manager. Default `npm`, which installs all clients. With the others, packages see only their declared dependencies. */
  readonly manager?: Manager
  /** Packages of this repository that pnpm installs. Default: both clients. */
  readonly packages?: ReadonlyArray<string>
  /** Files written next to the programs, by name. */
  readonly files?: Readonly<Record<string, string>>
}

/** Package managers. */
export type Manager = "npm" | "pnpm" | "yarn"

const bundle = (format: "esm" | "cjs", entry: string, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  "npx",
  "esbuild",
  entry,
  "--bundle",
  `--format=${format}`,
  "--log-level=error",
  ...more,
]

const node = (version: string): Subject => ({
  name: `Node ${version}, import and require`,
  install: [`node@${version}`],
  commands: ["pushImport.mjs", "pushRequire.cjs", "clients.mjs", "clients.cjs"].map((file) => ["npx", "node", file]),
})

const declarations = (version: string, install: string, manager: Manager = "npm"): Subject => {
  const options = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"]
  const emit = [...options, "--declaration", "--outDir", "library", "library.ts"]
  return {
    name: `TypeScript ${version}, declarations of a library${manager === "npm" ? "" : `, rest and rpc alone by ${manager}`}`,
    manager,
    install: [install, "@types/node@24"],
    commands: [
      ["npx", "tsc", ...emit],
      ["npx", "tsc", ...options, "--noEmit", "application.ts"],
    ],
    prints: "",
  }
}

/** A program that references the library as a separate project, which TypeScript builds first. */
const composite = (version: string, manager: Manager): Subject => {
  const compilerOptions = { strict: true, module: "nodenext", target: "es2023", types: ["node"], composite: true }
  const library = {
    compilerOptions: { ...compilerOptions, declaration: true, outDir: "library" },
    files: ["library.ts"],
  }
  const application = {
    compilerOptions: { ...compilerOptions, outDir: "application" },
    files: ["application.ts"],
    references: [{ path: "./tsconfig.library.json" }],
  }
  return {
    name: `TypeScript ${version}, composite projects, rest and rpc alone by ${manager}`,
    manager,
    install: [`typescript@${version}`, "@types/node@24"],
    files: {
      "tsconfig.library.json": JSON.stringify(library),
      "tsconfig.application.json": JSON.stringify(application),
    },
    commands: [["npx", "tsc", "--build", "tsconfig.application.json"]],
    prints: "",
  }
}

/** The command of Yarn 4. */
export const yarn = ["npx", "--yes", "@yarnpkg/cli-dist@4.18.1"] as const

/** A page in Chromium, built by a bundler. */
const page = (bundler: string, build: Subject["commands"], file: string): Subject => ({
  name: `Chromium, by ${bundler}`,
  install: [bundler, "playwright-core"],
  commands: [...build, ["node", "chromium.mjs", file]],
})

/** Variables that name a service, for the examples that need one. */
const serviceVariables = ["DAYBOOK_BASE_URL", "DAYBOOK_RPC_URL", "DAYBOOK_API_KEY", "DAYBOOK_ADDRESS"]

/** Examples in the README of a package, with the dependencies that the README lists. */
const readme = (name: string): Subject => {
  const text = readFileSync(join(root, "packages", name, "README.md"), "utf8")
  const hasService = serviceVariables.every((variable) => process.env[variable] !== undefined)
  const examples = Source.markdownExamples(text).filter(
    ({ words }) => words.includes("run") && (hasService || !words.includes("needs-service")),
  )
  const installed = [...text.matchAll(/^npm install ([^#\n]*)/gm)]
    .flatMap(([, line = ""]) => line.trim().split(/\s+/))
    .filter((word) => !word.startsWith("-"))
  const isOwn = (word: string) => word.startsWith("@daybook/")
  const files = Object.fromEntries(examples.map(({ code, line }) => [`line-${line}.ts`, `${code}export {}\n`]))
  return {
    name: `README of @daybook/${name}, ${examples.length} examples, by pnpm`,
    manager: "pnpm",
    packages: installed.filter(isOwn),
    install: installed.filter((word) => !isOwn(word) && word !== "effect"),
    files,
    commands: Object.keys(files).map((file) => ["node", file]),
    prints: null,
  }
}

/** The rows of the table. */
export const subjects: ReadonlyArray<Subject> = [
  node("20.19.0"),
  node("22.12.0"),
  node("24"),
  ...(["esm", "cjs"] as const).map((format) => ({
    name: `Node bundle, ${format}`,
    install: ["esbuild"],
    commands: [
      bundle(format, "clients.cjs", "--platform=node", `--outfile=bundle.${format === "esm" ? "mjs" : "cjs"}`),
      ["node", `bundle.${format === "esm" ? "mjs" : "cjs"}`],
    ],
  })),
  { name: "msw, loaded before the clients", install: ["msw"], commands: [["node", "msw.mjs"]] },
  { name: "msw with the testkit", install: ["msw"], commands: [["node", "mswTestkit.mjs"]] },
  {
    name: "Vitest with the testkit, by pnpm",
    install: ["@daybook/testkit", "vitest"],
    manager: "pnpm",
    commands: [["node", "vitest.mjs"]],
    prints: "passed",
  },
  { name: "Bun", install: ["bun"], commands: [["npx", "bun", "clients.mjs"]] },
  {
    name: "Deno",
    install: ["deno"],
    commands: [
      ["npx", "deno", "run", "--allow-net", "--allow-env=DAYBOOK_URL", "--node-modules-dir=manual", "clients.mjs"],
    ],
  },
  {
    name: "workerd, 30 requests at once",
    install: ["esbuild", "miniflare"],
    commands: [
      bundle("esm", "worker.mjs", "--outfile=worker.bundle.mjs", "--conditions=workerd", '--define:DAYBOOK_URL="URL"'),
      ["node", "miniflare.mjs"],
    ],
  },
  declarations("5.9", "typescript@5.9"),
  declarations("6", "typescript@6"),
  declarations("7", "typescript@7"),
  declarations("5.9", "typescript@5.9", "pnpm"),
  composite("5.9", "pnpm"),
  composite("7", "pnpm"),
  {
    name: "Yarn 4, Plug'n'Play",
    install: [],
    manager: "yarn",
    commands: [[...yarn, "node", "clients.mjs"]],
  },
  page(
    "esbuild",
    [bundle("esm", "page.mjs", "--outfile=page.bundle.js", '--define:DAYBOOK_URL="URL"')],
    "page.bundle.js",
  ),
  page("vite", [["npx", "vite", "build", "--logLevel=error"]], "dist/page.js"),
  {
    name: "Next, a route on the server",
    install: ["next", "react", "react-dom"],
    commands: [
      ["node", "node_modules/next/dist/bin/next", "build"],
      ["node", "next.mjs"],
    ],
  },
  ...["schema", "abi", "transport", "rest", "rpc", "testkit"].map(readme),
]
