/** A TypeScript version with a callable language service, and the compiler options for user programs in the checks of this folder. */
import type { CompilerOptions } from "typescript"
import * as PeerInstall from "../bench/PeerInstall.ts"

PeerInstall.install(import.meta.dirname)

/** The TypeScript compiler API. */
export const { default: ts } = await import("typescript")

/** Compiler options of a program that uses the packages. */
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
