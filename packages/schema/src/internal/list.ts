/** Lists in a query parameter: values separated by commas. */
import * as Schema from "effect/Schema"
import { type Step, unread } from "./coder.ts"
import { leaf, typeSide } from "./leaf.ts"

/** How a list is read. */
export interface ListOptions<A extends string> {
  /** What is expected, as shown in messages. */
  readonly expected: string
  /** Reads one value. */
  readonly read: Step
  /** Generates values, and describes them in JSON Schema. */
  readonly from: Schema.Codec<A, A>
  readonly maxValues: number
  readonly maxCharacters: number
}

/** Codec of a list as comma-separated text. */
export const list = <A extends string>({
  expected,
  from,
  maxCharacters,
  maxValues,
  read,
}: ListOptions<A>): Schema.Codec<ReadonlyArray<A>, string> => {
  const is = (value: unknown): value is ReadonlyArray<A> =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= maxValues &&
    value.every((one) => typeof one === "string" && read(one) === one)
  return leaf<ReadonlyArray<A>, string>({
    expected,
    wire: Schema.String,
    read: (input) => {
      if (typeof input !== "string" || input.length > maxCharacters) return unread
      const values = input.split(",").map((text) => read(text.trim()))
      return is(values) ? values : unread
    },
    write: (values) => values.join(","),
    type: typeSide<ReadonlyArray<A>>({
      expected,
      is,
      from: Schema.Array(from).check(Schema.isMinLength(1), Schema.isMaxLength(maxValues)),
    }),
    repeats: false,
  })
}
