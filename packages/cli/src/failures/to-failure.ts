import { ApiError, ConnectionError, RequestFailed, UnexpectedAnswer } from '@reticle/sdk'
import { type ExitStatus, Failure } from './failure.ts'

/** Converts any error to a failure that a user can act on. */
export function toFailure(thrown: unknown, signal: AbortSignal): Failure {
  if (signal.aborted)
    return new Failure('Interrupted', {
      ending: 'interrupted',
      hint: 'Run the same command again to continue where it stopped.',
    })
  if (thrown instanceof Failure) return thrown
  return toServiceFailure(thrown) ?? toFileFailure(thrown) ?? toUnexpectedFailure(thrown)
}

function toServiceFailure(thrown: unknown): Failure | undefined {
  if (thrown instanceof ApiError) return toRefusal(thrown)
  if (thrown instanceof RequestFailed) return toRequestFailure(thrown)
  if (thrown instanceof ConnectionError) {
    const reason = reasonOf(thrown)
    return new Failure(reason, {
      ending: 'unavailable',
      code: 'no_connection',
      hint: connectionHints.find(([about]) => about.test(reason))?.[1],
    })
  }
  if (thrown instanceof UnexpectedAnswer)
    return new Failure(thrown.message, {
      code: 'unexpected_answer',
      hint: 'Another program may use that address: run `reticle doctor` for details.',
    })
  return undefined
}

/** Hints by the platform's message about a failed connection; the last one matches all. */
const connectionHints: readonly (readonly [RegExp, string])[] = [
  [/certificate/i, 'Set NODE_EXTRA_CA_CERTS to the certificate of your authority.'],
  [/ENOTFOUND|EAI_AGAIN/, 'The host name cannot be resolved: check the address.'],
  [/ECONNREFUSED/, 'No server listens on this port: check the port, and whether the server runs.'],
  [/wrong version number|packet length/i, 'The server does not use TLS on this port: try http.'],
  [/(?:)/, 'Check the address, and whether the server runs. Run `reticle doctor` for details.'],
]

function toRefusal(thrown: ApiError): Failure {
  const { status, code, detail, fields, operation, request_id } = thrown
  const perField = Object.entries(fields).map(([name, texts]) => `${name}: ${texts.join(' ')}`)
  const detailText = detail === notFound ? `${operation}: ${detail}` : detail
  const message = [...(detailText ? [detailText] : []), ...perField].join('\n')
  return new Failure(message || `The server returned ${status} without a reason`, {
    ending: endingOf(status),
    code,
    hint: code === 'format_unknown' ? formatHint : hints[status],
    details: { status, fields, operation, request_id },
  })
}

/** Generic message of the service, which needs the operation as context. */
const notFound = 'Not found.'
const formatHint = '`reticle formats` lists them.'

function endingOf(status: number): ExitStatus {
  if (status === 401 || status === 403) return 'denied'
  if (status === 404) return 'missing'
  if ([409, 410, 412, 413, 429].includes(status)) return 'refused'
  return [502, 503, 504].includes(status) ? 'unavailable' : 'failed'
}

const hints: Readonly<Record<number, string>> = {
  401: 'Sign in with `reticle login`, or set SERVICE_ACCESS_TOKEN.',
  403: 'Ask a user with this permission; `reticle whoami` shows your account and the rights of your token.',
  404: 'The `list` command shows existing objects; --organization selects the organization.',
  429: 'Rate limit reached: try again later.',
  503: 'Try again later; `reticle server health` shows which part is down.',
}

function toRequestFailure({ request }: RequestFailed): Failure {
  const { id, message, operation, report } = request
  return new Failure(message || `${operation.type} failed`, {
    code: 'request_failed',
    hint: `Show it with \`reticle request show '${id}'\`.`,
    details: { rq_id: id, report },
  })
}

/** Format: `80FC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/...:350:` */
const openSsl = /[\dA-F]{1,16}:error:[\dA-F]{1,16}:/

/** Replaces an OpenSSL error line by its reason. */
function withoutOpenSsl(text: string): string {
  const found = openSsl.exec(text)
  const parts = found ? text.slice(found.index + found[0].length).split(':') : []
  const [, , reason] = parts
  return found && reason && parts.length > 3 ? text.slice(0, found.index) + reason : text
}

/** Returns the message of a connection error with its root cause. */
function reasonOf(thrown: ConnectionError): string {
  const causes: string[] = []
  for (let cause: unknown = thrown.cause; cause instanceof Error; cause = cause.cause)
    if (cause.message) causes.push(cause.message)
  const last = causes.at(-1)
  const isNew = last && !thrown.message.includes(last)
  return withoutOpenSsl(isNew ? `${thrown.message} (${last})` : thrown.message)
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it may not be opened',
  EPERM: 'it may not be opened',
  EISDIR: 'it is a folder, a file is expected',
  ENOTDIR: 'a part of its path is no folder',
  EEXIST: 'it exists already',
  ENOSPC: 'the disk is full',
}

function toFileFailure(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined
  const problem = fileProblems[String(thrown.code)]
  if (!problem) return undefined
  const path = 'path' in thrown ? String(thrown.path) : 'A file'
  return new Failure(`${path}: ${problem}`, { code: 'file', details: { path } })
}

function toUnexpectedFailure(thrown: unknown): Failure {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new Failure(message || 'Failed without a reason', { code: 'unexpected' })
}
