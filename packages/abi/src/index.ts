/**
 * The modules of @daybook/abi, each as a namespace. Written by `pnpm barrels`.
 */
export * as AbiReader from "./AbiReader.ts"
export * as AbiType from "./AbiType.ts"
export * as Decoder from "./Decoder.ts"
export * as InputText from "./InputText.ts"
export * as KnownSignatures from "./KnownSignatures.ts"
export * as Sentence from "./Sentence.ts"
export * as Signature from "./Signature.ts"
export * as StandardErrors from "./StandardErrors.ts"
