/**
 * The tsup preset of every published package: ESM only, JavaScript only, one file per module as in `src`.
 * Relative imports stay imports, so that `import.meta.url` means the same in `dist` as in `src` (workers are found
 * by it) and a class exists once. Declarations come from `tsc -p tsconfig.build.json`, because tsup's own need a
 * compiler API that TypeScript 7 lacks.
 */
import { defineConfig } from "tsup"

export const library = () =>
  defineConfig({
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
