/**
 * Bundles entries of a package with everything that they import: those that run as a process or a thread, and those that Node imports. A
 * program then starts from a few files instead of a thousand. Modules that bundlers import keep a file each; see `tsup.ts`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { build } from "tsup"

type Plugin = NonNullable<NonNullable<Parameters<typeof build>[0]>["esbuildPlugins"]>[number]

const location = /\bimport\.meta\.url\b/g

/** The folder of the package's code, from the URL of any file in it. */
const dist = String.raw`import.meta.url.replace(/(.*\/dist\/).*/, "$1")`

/** A module keeps the URL of its own file in `dist`, whichever chunk has its code, because it finds files of the package by that URL. */
const ownLocations = (source: string): Plugin => ({
  name: "own locations",
  setup: (bundle) =>
    bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = path.startsWith(`${source}/`) ? readFileSync(path, "utf8") : ""
      if (text.search(location) < 0) return undefined
      const own = JSON.stringify(relative(source, path).replace(/\.ts$/, ".js"))
      return { loader: "ts", contents: text.replaceAll(location, () => `new URL(${own}, ${dist}).href`) }
    }),
})

const licenseFiles = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license", "license.md", "license.txt"]

/** The package folder that a file in `node_modules` belongs to. */
const packageOf = (file: string): string | undefined => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]

/** Writes the licences of the packages whose code is bundled into the programs. */
const licences = (target: string): Plugin => ({
  name: "licences",
  setup: (bundle) =>
    bundle.onEnd(({ metafile }) => {
      const folders = new Set(Object.keys(metafile?.inputs ?? {}).flatMap((file) => packageOf(file) ?? []))
      const texts = [...folders].map((folder) => {
        const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
          readonly [key: string]: unknown
        }
        const file = licenseFiles.map((each) => join(folder, each)).find(existsSync)
        const text = file === undefined ? `License: ${String(license)}` : readFileSync(file, "utf8").trim()
        return `${String(name)} ${String(version)}\n\n${text}\n`
      })
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, texts.toSorted().join(`\n${"-".repeat(80)}\n\n`))
    }),
})

/** CommonJS modules in a bundle call `require`, which ECMAScript modules do not have. */
const requires = `import { createRequire as createRequireOfBundle } from "node:module"
const require = createRequireOfBundle(import.meta.url)`

/** What to bundle. */
export interface Options {
  /** Paths in `src`, without extension. */
  readonly entries: ReadonlyArray<string>
  /** Modules that stay imports: packages that read their own files, and modules that hold state for the whole program. */
  readonly external: ReadonlyArray<string>
  /** Folder in `dist` for the bundles, next to the modules of their entries. Default: bundles replace these modules. */
  readonly folder?: string
}

/** Writes the bundles of entries into `dist`, at the paths of their modules. */
export const bundlePrograms = ({ entries, external, folder }: Options): Promise<void> =>
  build({
    config: false,
    entry: Object.fromEntries(entries.map((entry) => [join(folder ?? "", entry), `src/${entry}.ts`])),
    format: "esm",
    target: "es2023",
    platform: "node",
    noExternal: [new RegExp(`^(?!(?:${external.join("|")})$)`)],
    splitting: true,
    clean: false,
    dts: false,
    sourcemap: false,
    removeNodeProtocol: false,
    silent: true,
    // Users may bundle a library for CommonJS, where a module has no URL.
    banner: folder === undefined ? { js: requires } : {},
    esbuildOptions: (options) => {
      options.chunkNames = `${folder ?? "programs"}/[name]-[hash]`
      options.mainFields = ["module", "main"]
      options.metafile = true
      options.minifySyntax = true
    },
    esbuildPlugins: [
      ownLocations(join(process.cwd(), "src")),
      licences(join("dist", folder ?? "programs", "LICENSES.txt")),
    ],
  })
