import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import { request as requestRecord } from '@reticle/contracts/rest/requests'
import { toAbsoluteLinks } from '@reticle/kit/net/links'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { baseOf, contextOf, translationOf } from '../call/request.ts'
import { createInputReader } from '../operations/read.ts'
import { pathOf } from '../operations/serve.ts'
import type { GatewayPorts, ProcessPhase } from '../ports.ts'
import { toJson } from '../responses/present.ts'
import { sendHeadOnly } from '../responses/send-bytes.ts'

const followed = z.object({ rq_id: z.string().optional() })

/**
 * Serves changes of requests as server-sent events (HTML standard, 9.2). A stream starts with the current state, so
 * that a client that reconnects misses nothing.
 */
export function serveRequestStreams(
  api: FastifyInstance,
  ports: GatewayPorts,
  phase: ProcessPhase,
): void {
  const { streamRequest, streamRequests } = tables.requests
  const share = sharedTexts()
  for (const operation of [streamRequest, streamRequests])
    serveStream(api, operation, { ...ports, share }, phase)
}

function serveStream(
  api: FastifyInstance,
  operation: Operation,
  { services: { requests }, settings, share }: GatewayPorts & { share: Share },
  phase: ProcessPhase,
): void {
  const read = createInputReader(operation, settings)
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, async (request, reply) => {
    const { rq_id } = followed.parse(await read(request))
    const { chunks } = await requests.followRequests({ rq_id }, contextOf(request))
    reply
      .type('text/event-stream')
      .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' }) // proxies pass events on immediately
    if (request.method === 'HEAD') {
      await chunks[Symbol.asyncIterator]().return?.()
      return sendHeadOnly(reply)
    }
    const base = baseOf(request)
    const translate = translationOf(request, operation)?.answer
    const eventFor = (line: string) =>
      share(`${request.dialect?.name} ${base} ${line}`, () => {
        const record = toAbsoluteLinks(requestRecord, JSON.parse(line), base)
        // without the user agent: a text is shared by clients of all versions
        return eventText(translate ? translate(record, base, '') : record)
      })
    return reply.send(Readable.from(eventTexts(chunks, eventFor, phase), { objectMode: false }))
  })
}

/** Returns the server-sent event of a line. */
type EventFor = (line: string) => string
type Share = (key: string, make: () => string) => string

const mostSharedCharacters = 8_388_608

/**
 * Caches event texts. Streams of one user contain equal lines, so a text is created once and kept until the cache is
 * full.
 */
function sharedTexts(): Share {
  const texts = new Map<string, string>()
  let characters = 0
  return (key, make) => {
    const known = texts.get(key)
    if (known !== undefined) return known
    const text = make()
    characters += key.length + text.length
    if (characters > mostSharedCharacters) {
      texts.clear()
      characters = key.length + text.length
    }
    texts.set(key, text)
    return text
  }
}

const identified = z.object({ id: z.string() })

const tickMs = 1000
/** Interval of keep-alive messages, because proxies and clients close silent connections. */
const silenceMs = 15_000
/** Time until a client reconnects, in milliseconds. */
const retry = 2000

/** Ends when the stream of the service ends, or when this process is about to stop. */
async function* eventTexts(
  chunks: AsyncIterable<Uint8Array>,
  eventFor: EventFor,
  phase: ProcessPhase,
): AsyncGenerator<string> {
  const pieces = chunks[Symbol.asyncIterator]()
  const readNext = () => {
    const pending = pieces.next()
    pending.catch(() => undefined) // a failure is reported to the next reader, if any
    return pending
  }
  try {
    yield `retry: ${retry}\n\n`
    let silentMs = 0
    let next = readNext()
    while (phase.now === 'ready') {
      const piece = await Promise.race([next, sleep(tickMs)])
      if (piece?.done) return
      silentMs = piece ? 0 : silentMs + tickMs
      if (piece) {
        next = readNext()
        yield eventsOf(piece.value, eventFor)
      } else if (silentMs >= silenceMs) {
        silentMs = 0
        yield ': still here\n\n'
      }
    }
  } finally {
    pieces.return?.().catch(() => undefined) // not awaited, because the stream may be paused
  }
}

/** Converts the lines of one piece, which are always complete. */
function eventsOf(piece: Uint8Array, eventFor: EventFor): string {
  const lines = Buffer.from(piece).toString().split('\n').filter(Boolean)
  return lines.map(eventFor).join('')
}

function eventText(record: unknown): string {
  const { id } = identified.parse(record)
  return `event: request\nid: ${id}\ndata: ${toJson(record)}\n\n`
}
