/** A part of a whole as a bar, with its share as text. */
import { formatInteger, formatShare } from "./Numbers.ts"

interface GaugeProps {
  readonly part: bigint
  readonly whole: bigint
  readonly label: string
}

export const Gauge = ({ label, part, whole }: GaugeProps) => (
  <span className="gauge">
    <meter
      min={0}
      max={1}
      value={whole === 0n ? 0 : Number((part * 10_000n) / whole) / 10_000}
      aria-label={label}
      title={`${formatInteger(part)} of ${formatInteger(whole)}`}
    />
    {formatShare(part, whole)}
  </span>
)
