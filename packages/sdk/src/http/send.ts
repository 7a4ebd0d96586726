import { ApiError, ConnectionError, refusalOf, UnexpectedAnswer } from '../responses/errors.ts'
import { pauseBefore, pauseFor, waitAfter } from './retry.ts'
import { type ClientSettings, isBrowser } from './settings.ts'

/** HTTP request of a call. */
export interface SentRequest {
  /** Operation name for error messages. */
  operation: string
  method: string
  /** Path below the root of the API, with its query. */
  path: string
  headers: Record<string, string>
  /** Creates the body for each attempt. */
  body?: () => RequestBody | Promise<RequestBody>
  /** Whether the request can be repeated without harm. */
  isRepeatable: boolean
  redirect?: 'follow' | 'manual'
  signal?: AbortSignal
  retries?: number
  /** Statuses that are accepted in addition to those below 300. */
  accepts?: readonly number[]
}
export type RequestBody =
  | string
  | Blob
  | FormData
  | Uint8Array<ArrayBuffer>
  | AsyncIterable<Uint8Array>

/**
 * Sends a request with retries and reads its response. An incomplete response counts as a failure.
 *
 * @throws ApiError for an error response, ConnectionError without a response, errors of `read` and of the body, the
 * reason of the signal
 */
export async function sendRequest<A>(
  settings: ClientSettings,
  sent: SentRequest,
  read: (answer: Response) => Promise<A>,
): Promise<A> {
  const { operation, signal, isRepeatable, retries = settings.retries } = sent
  let isInDoubt = false
  for (let number = 0; ; number++) {
    const isLast = number >= retries
    const isEnd = isLast || !isRepeatable
    const failed = (thrown: unknown): undefined => {
      signal?.throwIfAborted()
      if (isFinal(thrown)) throw thrown instanceof BodyError ? thrown.cause : thrown
      if (isEnd) throw new ConnectionError(operation, reasonOf(thrown), thrown)
    }
    const reading: Reading<A> = { read, isInDoubt }
    const outcome: Outcome<A> | undefined = await attempt(settings, sent, reading).catch(failed)
    if (outcome && 'value' in outcome) return outcome.value
    const refusal = outcome?.refusal
    const waitMs = refusal ? waitAfter(refusal, { number, isRepeatable }) : pauseBefore(number)
    if (refusal && (isLast || waitMs === undefined)) throw await refusalOf(operation, refusal)
    isInDoubt ||= refusal === undefined || refusal.status >= 500
    await refusal?.body?.cancel().catch(() => undefined)
    await pauseFor(waitMs ?? 0, signal)
  }
}

/** Error thrown while the body is created: a fault of the caller, not of the connection. */
class BodyError extends Error {}

const isFinal = (thrown: unknown) =>
  [BodyError, UnexpectedAnswer, ApiError].some((kind) => thrown instanceof kind)

type Outcome<A> = { value: A } | { refusal: Response }

interface Reading<A> {
  read: (answer: Response) => Promise<A>
  /** Whether an earlier attempt may have succeeded without its response arriving. */
  isInDoubt: boolean
}

async function attempt<A>(
  settings: ClientSettings,
  sent: SentRequest,
  { read, isInDoubt }: Reading<A>,
): Promise<Outcome<A>> {
  const answer = await ask(settings, sent)
  assertThere(answer, sent)
  const isDone = isAccepted(answer, sent) || (isInDoubt && isGone(answer, sent))
  return isDone ? { value: await read(answer) } : { refusal: answer }
}

async function ask(settings: ClientSettings, sent: SentRequest): Promise<Response> {
  const { method, path, headers, signal, operation } = sent
  const redirect = method === 'GET' ? (sent.redirect ?? 'follow') : 'manual'
  const failed: { thrown?: unknown } = {}
  const asBodyError = (cause: unknown) => {
    throw new BodyError(operation, { cause })
  }
  const body = await Promise.resolve(sent.body?.()).catch(asBodyError)
  const init = {
    method,
    redirect,
    signal,
    headers: { ...settings.headers, ...csrfOf(settings, method), ...headers },
    body: isIterable(body) ? await streamed(body, failed) : body,
    duplex: 'half' as const,
    credentials: settings.cookies ? ('same-origin' as const) : ('omit' as const),
  }
  try {
    return await settings.fetch(settings.base + path, init)
  } catch (thrown) {
    return 'thrown' in failed ? asBodyError(failed.thrown) : Promise.reject(thrown)
  }
}

const isIterable = (body: RequestBody | undefined): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && Symbol.asyncIterator in body

/** Browsers do not accept streams as bodies (Chromium only with HTTP/2), so the body is collected first. */
async function streamed(
  pieces: AsyncIterable<Uint8Array>,
  failed: { thrown?: unknown },
): Promise<ReadableStream<Uint8Array> | Blob> {
  if (isBrowser) return gathered(pieces)
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (thrown) {
        failed.thrown = thrown
        controller.error(thrown)
      }
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of pieces) parts.push(new Uint8Array(piece))
  return new Blob(parts)
}

function isAccepted({ ok, status, type }: Response, { accepts, redirect }: SentRequest): boolean {
  const isRedirect = redirect === 'manual' && (type === 'opaqueredirect' || status === 302)
  return ok || isRedirect || accepts?.includes(status) === true
}

/** A redirected change would arrive as another method (RFC 9110 15.4.2). @throws UnexpectedAnswer */
function assertThere(
  { status, type, headers }: Response,
  { method, operation }: SentRequest,
): void {
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400)
  if (!isRedirect || method === 'GET') return
  const place = headers.get('location') ?? 'another address'
  throw new UnexpectedAnswer(
    operation,
    `a redirect to ${place}, which should be the url of the client`,
  )
}

/** If an object is missing when its deletion is repeated, an earlier attempt whose response was lost has deleted it. */
const isGone = ({ status }: Response, { method }: SentRequest): boolean =>
  method === 'DELETE' && status === 404

/** Changes with a session cookie need its CSRF value in a header. */
function csrfOf({ cookies }: ClientSettings, method: string): Record<string, string> {
  if (!cookies || method === 'GET' || !('document' in globalThis)) return {}
  const text = String(Reflect.get(Object(Reflect.get(globalThis, 'document')), 'cookie') ?? '')
  const [, value] = /(?:^|;\s*)csrftoken=([^;]*)/.exec(text) ?? []
  return value ? { 'x-csrftoken': value } : {}
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { cause, message } = thrown
  const inner = cause instanceof Error ? cause.message || Reflect.get(cause, 'code') : undefined
  return inner ? String(inner) : message
}
