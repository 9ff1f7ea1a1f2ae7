/** Text that others chose, where no element can isolate its direction. Pure. */
import { VisibleText } from "@daybook/rest/Resource"

/** The visible text in a title or an option, which have no elements of their own. */
export const isolated = (text: string): string => `\u2068${VisibleText.visible(text)}\u2069`
