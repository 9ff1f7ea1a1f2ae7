/**
 * Labels of addresses, for `from_address_label` and `to_address_label`: those of a chain's configuration, and of the few addresses that
 * have the same meaning on every chain.
 */
import * as Address from "@daybook/schema/Address"
import { quote } from "@daybook/schema/Issue"
import * as Data from "effect/Data"
import * as Result from "effect/Result"

/**
 * Returns the label of an address in any case, or null when it has none.
 */
export type Label = (address: string) => string | null

/**
 * Configured labels are invalid; lists all of them.
 */
export class InvalidLabel extends Data.TaggedError("InvalidLabel")<{
  /** One sentence for each invalid entry. */
  readonly issues: ReadonlyArray<string>
}> {
  override get message(): string {
    return `Labels: ${this.issues.join("; ")}. Write each as "0x" and 40 hex digits: "text".`
  }
}

const precompile = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`

/**
 * Labels of addresses with the same meaning on every chain: the zero address, the burn address, the precompiled contracts, and
 * three contracts deployed at one address everywhere.
 *
 * Source: EVM precompiles 0x01 to 0x11 and 0x0100 of EIP-152, 196, 197, 198, 2537, 4844 and 7951.
 */
export const builtIn: Readonly<Record<string, string>> = {
  [precompile(0x00)]: "Null: 0x0",
  [precompile(0x01)]: "Precompile: ecRecover",
  [precompile(0x02)]: "Precompile: SHA-256",
  [precompile(0x03)]: "Precompile: RIPEMD-160",
  [precompile(0x04)]: "Precompile: identity",
  [precompile(0x05)]: "Precompile: modExp",
  [precompile(0x06)]: "Precompile: bn254 add",
  [precompile(0x07)]: "Precompile: bn254 multiply",
  [precompile(0x08)]: "Precompile: bn254 pairing",
  [precompile(0x09)]: "Precompile: BLAKE2 F",
  [precompile(0x0a)]: "Precompile: KZG point evaluation",
  [precompile(0x0b)]: "Precompile: BLS12-381 G1 add",
  [precompile(0x0c)]: "Precompile: BLS12-381 G1 multi-scalar multiply",
  [precompile(0x0d)]: "Precompile: BLS12-381 G2 add",
  [precompile(0x0e)]: "Precompile: BLS12-381 G2 multi-scalar multiply",
  [precompile(0x0f)]: "Precompile: BLS12-381 pairing",
  [precompile(0x10)]: "Precompile: BLS12-381 map to G1",
  [precompile(0x11)]: "Precompile: BLS12-381 map to G2",
  [precompile(0x100)]: "Precompile: P-256 verify",
  [precompile(0xdead)]: "Null: 0x000...dEaD",
  "0x000000000022d473030f116ddee9f6b43ac78ba3": "Permit2",
  "0x4e59b44847b379578588920ca78fbf26c0b4956c": "Deterministic Deployment Proxy",
  "0xca11bde05977b3631167028862be2a173976ca11": "Multicall3",
}

const isAddress = (text: string): boolean => Address.pattern.test(text)

/**
 * Makes a lookup over the built-in labels and the given ones, which take precedence.
 *
 * **Errors**
 * - `InvalidLabel`: a key is not an address, an address is given twice in different cases, or a label is empty.
 */
export const make = (entries: Readonly<Record<string, string>> = {}): Result.Result<Label, InvalidLabel> => {
  const labels = new Map(Object.entries(builtIn))
  const seen = new Set<string>()
  const issues: Array<string> = []
  for (const [address, label] of Object.entries(entries)) {
    const key = address.toLowerCase()
    if (!isAddress(address)) issues.push(`${quote(address)} is not an address`)
    else if (seen.has(key)) issues.push(`${quote(address)} is given twice`)
    else if (label.trim() === "") issues.push(`${quote(address)} has an empty label`)
    seen.add(key)
    labels.set(key, label)
  }
  if (issues.length > 0) return Result.fail(new InvalidLabel({ issues }))
  return Result.succeed((address) => labels.get(address.toLowerCase()) ?? null)
}
