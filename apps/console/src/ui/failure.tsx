import { ApiError } from '@reticle/sdk'

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
