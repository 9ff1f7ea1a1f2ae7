/** ox's conversions. They do not validate. */
import { Block } from "ox"
import type { Subject } from "../measure.ts"

const both = { decode: Block.fromRpc as never, encode: Block.toRpc as never }

export const subject: Subject = { block: both, hashes: both }
