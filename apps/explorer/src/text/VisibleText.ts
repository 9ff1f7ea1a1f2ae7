/** Untrusted text in places where no element can isolate its direction. Pure. */
import { VisibleText } from "@daybook/rest/Resource"

/** The visible text for a title or an option, which cannot contain elements. */
export const isolated = (text: string): string => `\u2068${VisibleText.visible(text)}\u2069`
