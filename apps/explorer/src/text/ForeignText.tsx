/**
 * Untrusted text, chosen by a contract, a sender, a node or an operator. Every character is visible, and its direction is isolated from the
 * surrounding text.
 */
import { VisibleText } from "@daybook/rest/Resource"
import { isolated } from "./VisibleText.ts"

interface ForeignTextProps {
  readonly text: string
  readonly className?: string
  /** Shown on hover; also untrusted. */
  readonly title?: string
}

export const ForeignText = ({ className, text, title }: ForeignTextProps) => (
  <bdi className={className} title={title === undefined ? undefined : isolated(title)}>
    {VisibleText.visible(text)}
  </bdi>
)
