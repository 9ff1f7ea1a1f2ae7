/**
 * tsup preset of the published packages: ESM, JavaScript only, one file per module as in `src`, except for bundles.
 *
 * Relative imports stay imports, so that `import.meta.url` resolves workers in `dist` as in `src` and a class exists once.
 * `tsc -p tsconfig.build.json` emits the declarations, because tsup needs a compiler API that TypeScript 7 does not have.
 */
import { defineConfig } from "tsup"
import { bundlePrograms, type Options as Programs } from "./programs.ts"

interface Options {
  /** Entries that are bundled. */
  readonly programs?: Programs
  /** Runs once the files are written. */
  readonly onSuccess?: () => void
}

/** The modules that their bundles replace. */
const replaced = ({ entries = [], folder }: Partial<Programs> = {}): ReadonlyArray<string> =>
  folder === undefined ? entries : []

/** The preset. */
export const library = ({ onSuccess, programs }: Options = {}) =>
  defineConfig({
    onSuccess: async () => {
      onSuccess?.()
      if (programs !== undefined) await bundlePrograms(programs)
    },
    entry: ["src/**/*.ts", ...replaced(programs).map((entry) => `!src/${entry}.ts`)],
    format: "esm",
    target: "es2023",
    platform: "neutral",
    splitting: false,
    sourcemap: true,
    clean: true,
    dts: false,
    removeNodeProtocol: false,
    silent: true,
    esbuildPlugins: [
      {
        name: "one file per module",
        setup(build) {
          build.onResolve({ filter: /^\.\.?\/.*\.ts$|^[^.]/ }, ({ kind, path }) =>
            kind === "entry-point" ? undefined : { path: path.replace(/^(\..*)\.ts$/, "$1.js"), external: true },
          )
        },
      },
    ],
  })
