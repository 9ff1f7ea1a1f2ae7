/** The decoders and encoders that `codecs` measures in Node.js and `browser` in Chromium. */
import { join } from "node:path"
import type { Installed } from "../Checkout.ts"
import { versions } from "../PeerInstall.ts"
import type { InputName } from "./Inputs.ts"

export interface BenchmarkSubject {
  readonly title: string
  /** The file that exports the `Subject`. */
  readonly file: string
  readonly inputs: ReadonlyArray<InputName>
  readonly isPeer?: boolean
  /** True if written only for this benchmark. */
  readonly isByHand?: boolean
}

const all = ["page", "block", "hashes"] as const
const blocks = ["block", "hashes"] as const
const file = (name: string) => join(import.meta.dirname, `subjects/${name}.ts`)

/** `@daybook/schema` from some checkouts, a handwritten decoder, and peers. */
export const subjectsOf = (checkouts: ReadonlyArray<Installed>): ReadonlyArray<BenchmarkSubject> => [
  ...checkouts.map(({ root, suffix }) => ({
    title: `**@daybook/schema**${suffix}`,
    file: join(root, "tooling/bench/codecs/subjects/daybook.ts"),
    inputs: all,
  })),
  { title: "written by hand; encoding unchecked", file: file("hand"), inputs: all, isByHand: true },
  { title: `zod ${versions["zod"]}`, file: file("zod"), inputs: all, isPeer: true },
  { title: `viem ${versions["viem"]}; unchecked`, file: file("viem"), inputs: blocks, isPeer: true },
  { title: `ox ${versions["ox"]}; unchecked`, file: file("ox"), inputs: blocks, isPeer: true },
]
