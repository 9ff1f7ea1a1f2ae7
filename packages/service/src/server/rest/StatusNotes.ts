/**
 * Sentences for the operator about settings that apply to a part of the index alone.
 */
import type { AppliedSetting, IndexerStatus } from "../../store/StatusBoard.ts"

const sentenceOf = ({ from, name, value }: AppliedSetting & { readonly from: number }): string => {
  const isOn = value === "on" || value === "true"
  switch (name) {
    case "traces":
      return isOn
        ? `Internal transactions are indexed from block ${from} on, and unknown before it.`
        : `Internal transactions are not indexed from block ${from} on.`
    case "allFrames":
      return `STATICCALL and DELEGATECALL frames are ${isOn ? "" : "not "}stored from block ${from} on.`
    case "checks":
      return `Blocks are verified at level ${value} from block ${from} on.`
  }
}

/** The sentences of a status; empty where every setting applies to the whole index. */
export const of = ({
  settings = [],
  startNote,
}: Pick<IndexerStatus, "settings" | "startNote">): ReadonlyArray<string> => [
  ...(startNote === undefined ? [] : [startNote]),
  ...settings.flatMap(({ from, ...setting }) => (from === undefined ? [] : [sentenceOf({ ...setting, from })])),
]
