/** Shows that a page failed, until another one is opened. */
import { Component, type ReactNode } from "react"
import { PageError } from "../layout/Fallback.tsx"

interface PageBoundaryProps {
  /** Path of the page. */
  readonly path: string
  readonly children: ReactNode
}

interface State {
  readonly path: string
  readonly failure: { readonly error: unknown } | undefined
}

export class PageBoundary extends Component<PageBoundaryProps, State> {
  static getDerivedStateFromError(error: unknown): Pick<State, "failure"> {
    return { failure: { error } }
  }

  static getDerivedStateFromProps({ path }: PageBoundaryProps, state: State): State | null {
    return path === state.path ? null : { path, failure: undefined }
  }

  override readonly state: State = { path: this.props.path, failure: undefined }

  override render(): ReactNode {
    const { failure } = this.state
    return failure === undefined ? this.props.children : <PageError error={failure.error} />
  }
}
