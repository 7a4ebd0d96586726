import { Component, type ReactNode } from 'react'
import { Failure } from './failure.tsx'

interface State {
  error?: Error
}

/**
 * Shows an error when a page fails to render, instead of an empty window. React supports error boundaries only as
 * classes.
 */
export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = {}

  static getDerivedStateFromError(error: Error): State {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <main>
        <h1>This page fell over</h1>
        <Failure error={error} onRetry={() => location.reload()} />
      </main>
    )
  }
}
