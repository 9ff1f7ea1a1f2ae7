/** TypeScript with a language service that programs can call, and how the checks of this folder compile programs of users. */
import type { CompilerOptions } from "typescript"
import * as PeerInstall from "../bench/PeerInstall.ts"

PeerInstall.install(import.meta.dirname)

/** The compiler. */
export const { default: ts } = await import("typescript")

/** Options of a program that uses the packages. */
export const options: CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ["node"],
}
