import { restOperations } from '@reticle/contracts/api/index'
import { bodyOf } from '@reticle/contracts/openapi/examples'
import { failureName } from '@reticle/contracts/openapi/failures'
import { jsonTypes } from '@reticle/contracts/openapi/media-type'
import { type Client, type ClientOptions, createClient } from '@reticle/sdk'

/** Operations that the SDK has called, and their answers. */
export interface RecordedCalls {
  /** Statuses by operation. */
  statuses: Map<string, Set<number>>
  /** Bodies that may become examples, by name. */
  examples: Map<string, unknown[]>
}

export const nothingSeen = (): RecordedCalls => ({ statuses: new Map(), examples: new Map() })

/** Routes without placeholders come first, because `/requests/stream` is not the id of a request. */
const routes = restOperations
  .map((operation) => ({
    ...operation,
    pattern: new RegExp(`^/api${operation.path.replace(/:\w+/g, '[^/]+').replace(/\/$/, '')}/?$`),
  }))
  .sort((a, b) => a.path.split(':').length - b.path.split(':').length)

/** Creates a client whose calls are recorded. */
export function createRecordingClient(options: ClientOptions, seen: RecordedCalls): Client {
  const fetch: typeof globalThis.fetch = async (address, init) => {
    const answer = await globalThis.fetch(address, init)
    await recordCall(seen, new URL(String(address)), init, answer)
    return answer
  }
  return createClient({ ...options, fetch })
}

async function recordCall(
  { statuses, examples }: RecordedCalls,
  { pathname }: URL,
  { method = 'GET', body }: RequestInit = {},
  answer: Response,
): Promise<void> {
  const { status } = answer
  const operation = routes.find((one) => one.method === method && one.pattern.test(pathname))
  if (!operation) throw new Error(`${method} ${pathname} is no operation`)
  const { name, success } = operation
  statuses.set(name, new Set([...(statuses.get(name) ?? []), status]))
  const keep = (example: string, text: string) => {
    const kept = examples.get(example) ?? []
    if (text) examples.set(example, [...kept, JSON.parse(text)])
  }
  const [type = ''] = answer.headers.get('content-type')?.split(';') ?? []
  const text = jsonTypes.some((one) => one === type) ? await answer.clone().text() : ''
  if (status === success) keep(name, status < 400 ? text : '')
  if (status === success && typeof body === 'string') keep(bodyOf(name), body)
  if (status >= 400) keep(failureName(status), text)
}
