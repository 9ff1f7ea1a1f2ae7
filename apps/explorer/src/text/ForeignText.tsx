/** Text that a contract, a sender, a node or an operator chose: visible in full, and isolated from the direction of the text around it. */
import { VisibleText } from "@daybook/rest/Resource"
import { isolated } from "./VisibleText.ts"

interface ForeignTextProps {
  readonly text: string
  readonly className?: string
  /** On hover; also chosen by others. */
  readonly title?: string
}

export const ForeignText = ({ className, text, title }: ForeignTextProps) => (
  <bdi className={className} title={title === undefined ? undefined : isolated(title)}>
    {VisibleText.visible(text)}
  </bdi>
)
