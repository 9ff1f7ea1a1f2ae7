/**
 * The tsup preset of every published package: one entry per module, ESM only, JavaScript only.
 * Declarations come from `tsc -p tsconfig.build.json`, because tsup's own need a compiler API that TypeScript 7 lacks.
 */
import { defineConfig } from "tsup"

export const library = () =>
  defineConfig({
    entry: ["src/**/*.ts"],
    format: "esm",
    target: "es2023",
    platform: "neutral",
    splitting: true,
    sourcemap: true,
    clean: true,
    dts: false,
    removeNodeProtocol: false,
  })
