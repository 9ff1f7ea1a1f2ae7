/** The call of a frame: its function with arguments and results, or what it prints; until they are decoded, the name of its function. */
import type { CallFrame } from "@daybook/rpc/promise"
import { useQuery } from "@tanstack/react-query"
import { Fragment } from "react"
import { AddressLink } from "../../display/Links.tsx"
import { Method } from "../../names/Method.tsx"
import { useMethod } from "../../names/useNames.ts"
import { ForeignText } from "../../text/ForeignText.tsx"
import type { Value } from "./FrameText.ts"
import { useAbis } from "./useAbis.ts"

/** Longest value that is shown beside others, in characters; the whole is on hover. */
const maxCharacters = 120

const shorten = (text: string): string => (text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`)

const ValueText = ({ name, text, type }: Value) => (
  <>
    {name === "" ? null : (
      <span className="muted">
        <ForeignText text={name} />:{" "}
      </span>
    )}
    {type === "address" ? (
      <AddressLink address={text.toLowerCase()} />
    ) : (
      <ForeignText
        className="value"
        text={type === "string" ? JSON.stringify(shorten(text)) : shorten(text)}
        title={`${type} ${shorten(text)}`}
      />
    )}
  </>
)

const Values = ({ values }: { readonly values: ReadonlyArray<Value> }) =>
  values.map((value, at) => (
    <Fragment key={at}>
      {at === 0 ? null : ", "}
      <ValueText {...value} />
    </Fragment>
  ))

const loadText = () => import("./FrameText.ts")

const useText = ({ error, input, output, to }: CallFrame) => {
  const abis = useAbis(to)
  const signature = useMethod(to, input)?.signature
  const { data: module } = useQuery({ queryKey: ["code", "frames"], queryFn: loadText, staleTime: Infinity })
  if (module === undefined || input === undefined || input === null) return undefined
  if (to === module.consoleAddress) {
    const text = module.consoleText(input)
    return text === undefined ? undefined : ({ _tag: "Console", text } as const)
  }
  if (abis === undefined) return undefined
  const found = module.decode(abis, signature, { input, output, isFailed: error !== undefined })
  return found === undefined ? undefined : ({ _tag: "Call", ...found } as const)
}

export const FrameCall = ({ frame }: { readonly frame: CallFrame }) => {
  const found = useText(frame)
  if (found === undefined) return <Method to={frame.to} input={frame.input} />
  if (found._tag === "Console") {
    return (
      <>
        <span className="method">console.log</span> <ForeignText className="value" text={found.text} />
      </>
    )
  }
  const { args, label, results = [] } = found
  return (
    <span className="frame-call">
      <ForeignText className="method" text={label} />(<Values values={args} />)
      {results.length === 0 ? null : (
        <>
          {" "}
          → <Values values={results} />
        </>
      )}
    </span>
  )
}
