/** A value as JSON, in the wire format. */
import { CopyButton } from "../../display/Values.tsx"

/** Quantities are hex, as JSON-RPC writes them. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `0x${item.toString(16)}` : item), 2)

export const RawJson = ({ label, value }: { readonly value: unknown; readonly label: string }) => {
  const text = textOf(value)
  return (
    <div className="bytes-box">
      <pre className="json" tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} what={label} />
    </div>
  )
}
