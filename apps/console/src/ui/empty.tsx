import type { ReactNode } from 'react'

interface Props {
  children: ReactNode
  /** The same by the command line: `reticle task create ...`. */
  reticle?: string
  /** The same by the interface: `curl ...`. */
  curl?: string
}

/** Where there is nothing yet: what to do next, here and in a script. */
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

/** The beginning of a curl line with a token. */
export function curlOf(path: string, more = ''): string {
  return `curl -H "Authorization: Token $SERVICE_ACCESS_TOKEN" ${location.origin}/api${path}${more && ` ${more}`}`
}
