import type { Request } from '../generated/schemas.ts'
import { type CallInput, callWithReader, type NamedOperation } from '../http/call.ts'
import { patience } from '../http/retry.ts'
import type { ClientSettings } from '../http/settings.ts'
import { ApiError } from '../responses/errors.ts'
import { timedPieces } from '../responses/pieces.ts'

/** The service sends a keep-alive every 15 seconds. */
const silenceMs = 20_000

interface Watching {
  /** State that is set when a proxy buffers the stream. */
  state: { isSilent: boolean }
  signal?: AbortSignal
}

/** Yields the records of one stream, until it ends or breaks. @throws ApiError, the reason of the signal */
export async function* readRequestStream(
  settings: ClientSettings,
  stream: NamedOperation,
  input: CallInput,
  { state, signal }: Watching,
): AsyncGenerator<Request, void, undefined> {
  try {
    const opened = async (answer: Response) => answer
    const options = { signal, retries: patience, headers: { accept: 'text/event-stream' } }
    const answer = await callWithReader(settings, stream, input, options, opened)
    const onSilence = () => {
      state.isSilent = true
    }
    const pieces = timedPieces(answer, { silenceMs, onSilence, signal })
    for await (const data of eventData(decoded(pieces))) yield JSON.parse(data)
  } catch (thrown) {
    signal?.throwIfAborted()
    if (!(thrown instanceof ApiError)) return
    if (thrown.code !== 'too_many_streams') throw thrown
    state.isSilent = true // the caller polls instead
  }
}

async function* decoded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true })
}

/**
 * Yields the data of server-sent events (HTML standard, 9.2). Comments are keep-alives. Ids and retry times are
 * ignored, because these streams start with the current state.
 */
export async function* eventData(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let data: string[] = []
  for await (const piece of pieces) {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''))
      else if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      }
    }
  }
}
