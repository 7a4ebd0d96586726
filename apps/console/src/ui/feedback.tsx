import { ApiError } from '@reticle/sdk'
import { Component, type ReactNode } from 'react'

interface Props {
  error: Error
  onRetry?: () => void
}

/** Shows an error with the message of the service and the request id to look up in the log. */
export function Failure({ error, onRetry }: Props) {
  return (
    <div className="failure" role="alert">
      {error instanceof ApiError ? <Refusal error={error} /> : <p>{error.message}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

function Refusal({ error: { detail, fields, status, code, request_id } }: { error: ApiError }) {
  return (
    <>
      {detail && <p>{detail}</p>}
      {Object.keys(fields).length > 0 && (
        <ul>
          {Object.entries(fields).map(([name, texts]) => (
            <li key={name}>
              <strong>{name}</strong>: {texts.join(' ')}
            </li>
          ))}
        </ul>
      )}
      <p className="hint">
        {status} {code}
        {request_id && `, request ${request_id}`}
      </p>
    </>
  )
}

/** Returns an error in one line, with the request id to look up in the log. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const request = error instanceof ApiError && error.request_id
  return request ? `${error.message} (request ${request})` : error.message
}

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
        <h1>This page cannot be shown</h1>
        <Failure error={error} onRetry={() => location.reload()} />
      </main>
    )
  }
}

/** Renders a loading indicator, shown after a short delay to avoid flicker. */
export function Loading() {
  return (
    <p className="loading" role="status">
      Loading …
    </p>
  )
}

interface EmptyProps {
  children: ReactNode
  /** Equivalent command: `reticle task create ...`. */
  reticle?: string
  /** Equivalent API call: `curl ...`. */
  curl?: string
}

/** Renders a placeholder for an empty list: the next step, here and in a script. */
export function Empty({ children, reticle, curl }: EmptyProps) {
  return (
    <div className="empty">
      <p>{children}</p>
      {[reticle, curl].map(
        (line) =>
          line && (
            <pre key={line}>
              <code>{line}</code>
            </pre>
          ),
      )}
    </div>
  )
}

/** Returns the start of a curl command with an access token. */
export function curlOf(path: string, more = ''): string {
  return `curl -H "Authorization: Token $SERVICE_ACCESS_TOKEN" ${location.origin}/api${path}${more && ` ${more}`}`
}
