/**
 * Signatures of standards and of widespread contracts, one line each. They are a separate module so that a web page that decodes with the
 * ABI of one contract does not download them. A new line also applies to rows that a service has already stored: it changes the revision of
 * the decoder, and rows of another revision are decoded again.
 */
import * as Result from "effect/Result"
import * as Decoder from "./Decoder.ts"
import { batch } from "./internal/signatures/batch.ts"
import { control } from "./internal/signatures/control.ts"
import { exchange } from "./internal/signatures/exchange.ts"
import { protocols } from "./internal/signatures/protocols.ts"
import { token } from "./internal/signatures/token.ts"

import * as Signature from "./Signature.ts"

/**
 * The signatures, in the order in which equal selectors are tried.
 */
export const lines: ReadonlyArray<string> = [...token, ...exchange, ...batch, ...control, ...protocols]

let parsed: ReadonlyArray<Signature.Signature> | undefined

const all = (): ReadonlyArray<Signature.Signature> =>
  (parsed ??= lines.map((line) => Result.getOrThrow(Signature.fromText(line))))

/** The decoder without additional signatures. It is made once, because its revision is a hash of all signatures. */
let known: Decoder.Decoder | undefined

/**
 * Makes a decoder of the known signatures and additional ones. Additional signatures are tried first, so they can replace the parameter
 * names of known ones.
 *
 * **Example** (Decoding a call)
 *
 * ```ts
 * import * as KnownSignatures from "@daybook/abi/KnownSignatures"
 *
 * const input = `0xa9059cbb${"0".repeat(24)}${"ab".repeat(20)}${"7".padStart(64, "0")}`
 * const call = KnownSignatures.decoder().call(input)
 * console.log(call?.signature, call?.params[1]) // transfer(address,uint256) { name: 'value', value: '7', type: 'uint256' }
 * ```
 *
 * Source: decision 0015.
 */
export const decoder = (others: ReadonlyArray<Signature.Signature> = []): Decoder.Decoder =>
  others.length === 0 ? (known ??= Decoder.make(all())) : Decoder.make([...others, ...all()])
