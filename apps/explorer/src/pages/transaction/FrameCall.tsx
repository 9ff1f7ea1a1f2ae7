/** The call of a frame: its function with arguments and results, or the text that it prints. Until decoded, only the function name. */
import type { CallFrame } from "@daybook/rpc/promise"
import { useQuery } from "@tanstack/react-query"
import { Fragment } from "react"
import { AddressLink } from "../../display/Links.tsx"
import { Method } from "../../names/Method.tsx"
import { useMethod } from "../../names/useNames.ts"
import { ForeignText } from "../../text/ForeignText.tsx"
import type { Value } from "./FrameText.ts"
import { useAbis } from "./useAbis.ts"

/** Maximum length of an inline value, in characters; the complete value is shown on hover. */
const maxCharacters = 120

const shorten = (text: string): string => (text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`)

/** An inline value: structs as `(name: value, …)`, lists as `[value, …]`. */
const Inline = ({ value }: { readonly value: Value }) => {
  const { hidden, label, members, text, type } = value
  if (text === undefined) {
    const isList = type.endsWith("]")
    return (
      <>
        {isList ? "[" : "("}
        {members.map((member, at) => (
          <Fragment key={at}>
            {at === 0 ? null : ", "}
            {isList ? <Inline value={member} /> : <NamedValue {...member} />}
          </Fragment>
        ))}
        {hidden === 0 ? null : <span className="muted">{members.length === 0 ? "…" : ", …"}</span>}
        {isList ? "]" : ")"}
      </>
    )
  }
  if (label !== undefined) return <ForeignText className="value" text={label} title={`${type} ${text}`} />
  if (type === "address") return <AddressLink address={text.toLowerCase()} />
  return (
    <ForeignText
      className="value"
      text={type === "string" ? JSON.stringify(shorten(text)) : shorten(text)}
      title={`${type} ${shorten(text)}`}
    />
  )
}

const NamedValue = (value: Value) => (
  <>
    {value.name === "" ? null : (
      <span className="muted">
        <ForeignText text={value.name} />:{" "}
      </span>
    )}
    <Inline value={value} />
  </>
)

const Values = ({ values }: { readonly values: ReadonlyArray<Value> }) =>
  values.map((value, at) => (
    <Fragment key={at}>
      {at === 0 ? null : ", "}
      <NamedValue {...value} />
    </Fragment>
  ))

const loadText = () => import("./FrameText.ts")

/** The module that decodes frames; undefined until it is loaded. */
export const useFrameText = () =>
  useQuery({ queryKey: ["code", "frames"], queryFn: loadText, staleTime: Infinity }).data

const useText = ({ error, input, output, to, type }: CallFrame) => {
  const abis = useAbis(to)
  const signature = useMethod(to, input)?.signature
  const module = useFrameText()
  if (module === undefined || input === undefined || input === null) return undefined
  if (to === module.consoleAddress) {
    const text = module.consoleText(input)
    return text === undefined ? undefined : ({ _tag: "Console", text } as const)
  }
  if (abis === undefined) return undefined
  if (type.startsWith("CREATE")) {
    const created = module.decodeCreation(abis[0] ?? [], input)
    return created === undefined
      ? undefined
      : ({ _tag: "Call", label: "constructor", ...created, results: [] } as const)
  }
  const found = module.decode(abis, signature, { input, output, isFailed: error != null })
  return found === undefined ? undefined : ({ _tag: "Call", ...found } as const)
}

export const FrameCall = ({ frame }: { readonly frame: CallFrame }) => {
  const found = useText(frame)
  if (found === undefined) return frame.type.startsWith("CREATE") ? null : <Method to={frame.to} input={frame.input} />
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
