/** Undecoded bytes of a call or a log, split into words of 32 bytes if they may be ABI-encoded, otherwise unchanged. */
import { Fact, Facts } from "../../display/Page.tsx"
import { Bytes } from "../../display/Values.tsx"
import * as Words from "./Words.ts"

interface WordsTableProps {
  readonly hex: string
  /** Number of bytes before the first word: 4 for a call, 0 for a log. */
  readonly selectorBytes: 0 | 4
  /** Description of the bytes for screen readers. */
  readonly label: string
}

export const WordsTable = ({ hex, label, selectorBytes }: WordsTableProps) => {
  const split = Words.split(hex, selectorBytes)
  return (
    <>
      {split === undefined ? null : (
        <Facts>
          {selectorBytes === 0 ? null : (
            <Fact name="Selector">
              <code className="hash">{split.selector}</code>
            </Fact>
          )}
          {split.words.map(({ digits, offset }) => (
            <Fact name={offset} hint="Offset of the word after the selector" key={offset}>
              <code className="hash">{digits}</code>
            </Fact>
          ))}
        </Facts>
      )}
      <Bytes hex={hex} label={label} />
    </>
  )
}
