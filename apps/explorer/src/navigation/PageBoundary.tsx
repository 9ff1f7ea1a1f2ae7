/** Shows the failure of a page or a part of it, until the user navigates elsewhere. */
import { Component, type ReactNode } from "react"
import { useLocationProperty } from "wouter/use-browser-location"
import * as Entry from "./Entry.ts"

interface PageBoundaryProps {
  /** Renders a failure. */
  readonly show: (error: unknown) => ReactNode
  readonly children: ReactNode
}

interface BoundaryProps extends PageBoundaryProps {
  /** Key of the current entry. */
  readonly entry: string
}

interface State {
  readonly entry: string
  readonly failure: { readonly error: unknown } | undefined
}

class Boundary extends Component<BoundaryProps, State> {
  static getDerivedStateFromError(error: unknown): Pick<State, "failure"> {
    return { failure: { error } }
  }

  static getDerivedStateFromProps({ entry }: BoundaryProps, state: State): State | null {
    return entry === state.entry ? null : { entry, failure: undefined }
  }

  override readonly state: State = { entry: this.props.entry, failure: undefined }

  override render(): ReactNode {
    const { failure } = this.state
    return failure === undefined ? this.props.children : this.props.show(failure.error)
  }
}

export const PageBoundary = (props: PageBoundaryProps) => <Boundary {...props} entry={useLocationProperty(Entry.key)} />
