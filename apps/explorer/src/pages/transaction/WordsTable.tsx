/** Bytes of a call or a log that are not decoded: in words of 32 bytes where the ABI may have laid them out so, else as they are. */
import { Fact, Facts } from "../../display/Page.tsx"
import { Bytes } from "../../display/Values.tsx"
import * as Words from "./Words.ts"

interface WordsTableProps {
  readonly hex: string
  /** Bytes before the first word: 4 of a call, none of a log. */
  readonly selectorBytes: 0 | 4
  /** What the bytes are, for those who do not see them. */
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
            <Fact name={offset} hint="Place of the word behind the selector" key={offset}>
              <code className="hash">{digits}</code>
            </Fact>
          ))}
        </Facts>
      )}
      <Bytes hex={hex} label={label} />
    </>
  )
}
