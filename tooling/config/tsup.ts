/**
 * tsup preset of the published packages: ESM, JavaScript only, one file per module as in `src`.
 *
 * Relative imports stay imports, so that `import.meta.url` resolves workers in `dist` as in `src` and a class exists once.
 * `tsc -p tsconfig.build.json` emits the declarations, because tsup needs a compiler API that TypeScript 7 does not have.
 */
import { defineConfig, type Options } from "tsup"

/** The preset; `onSuccess` runs once the files are written. */
export const library = (options: Pick<Options, "onSuccess"> = {}) =>
  defineConfig({
    ...options,
    entry: ["src/**/*.ts"],
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
