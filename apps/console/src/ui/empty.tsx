import type { ReactNode } from 'react'

interface Props {
  children: ReactNode
  /** Equivalent command: `reticle task create ...`. */
  reticle?: string
  /** Equivalent API call: `curl ...`. */
  curl?: string
}

/** Renders a placeholder for an empty list: the next step, here and in a script. */
export function Empty({ children, reticle, curl }: Props) {
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
