import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import { request as requestRecord } from '@reticle/contracts/rest/requests'
import { absolute } from '@reticle/kit/links'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { GatewayPorts, Phase } from '../ports.ts'
import { toJson } from '../present.ts'
import { reader } from '../read.ts'
import { baseOf, contextOf, translationOf } from '../request.ts'
import { sendNone } from '../send-bytes.ts'
import { pathOf } from '../serve.ts'

const followed = z.object({ rq_id: z.string().optional() })

/**
 * Requests as they change, as server-sent events (`spec/extensions.md` 5; the format is that of the HTML standard, 9.2). A stream
 * begins with what is, so that one which was cut off loses nothing: clients come back by themselves.
 */
export function serveRequestStreams(api: FastifyInstance, ports: GatewayPorts, phase: Phase): void {
  const { streamRequest, streamRequests } = tables.requests
  const share = sharedTexts()
  for (const operation of [streamRequest, streamRequests])
    serveStream(api, operation, { ...ports, share }, phase)
}

function serveStream(
  api: FastifyInstance,
  operation: Operation,
  { services: { requests }, settings, share }: GatewayPorts & { share: Share },
  phase: Phase,
): void {
  const read = reader(operation, settings)
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, async (request, reply) => {
    const { rq_id } = followed.parse(await read(request))
    const { chunks } = await requests.followRequests({ rq_id }, contextOf(request))
    reply
      .type('text/event-stream')
      .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' }) // proxies pass it on at once
    if (request.method === 'HEAD') {
      await chunks[Symbol.asyncIterator]().return?.()
      return sendNone(reply)
    }
    const base = baseOf(request)
    const translate = translationOf(request, operation)?.answer
    const eventFor = (line: string) =>
      share(`${request.dialect?.name} ${base} ${line}`, () => {
        const record = absolute(requestRecord, JSON.parse(line), base)
        // no header: one text is shared by clients of all versions
        return eventText(translate ? translate(record, base, '') : record)
      })
    return reply.send(Readable.from(eventTexts(chunks, eventFor, phase), { objectMode: false }))
  })
}

/** Returns the server-sent event of a line. */
type EventFor = (line: string) => string
type Share = (key: string, make: () => string) => string

const mostSharedCharacters = 8_388_608

/** Streams of one user carry the same lines: a text is made once and kept until many others were made. */
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
/** Proxies and clients take a longer silence for the end. */
const silenceMs = 15_000
/** Until a client comes back, in milliseconds. */
const retry = 2000

/** Ends when there is nothing more to tell, or when this process is about to go. */
async function* eventTexts(
  chunks: AsyncIterable<Uint8Array>,
  eventFor: EventFor,
  phase: Phase,
): AsyncGenerator<string> {
  const pieces = chunks[Symbol.asyncIterator]()
  const ask = () => {
    const asked = pieces.next()
    asked.catch(() => undefined) // when it fails, whoever waits for it is told; perhaps nobody does any more
    return asked
  }
  try {
    yield `retry: ${retry}\n\n`
    let silentMs = 0
    let next = ask()
    while (phase.now === 'ready') {
      const piece = await Promise.race([next, sleep(tickMs)])
      if (piece?.done) return
      silentMs = piece ? 0 : silentMs + tickMs
      if (piece) {
        next = ask()
        yield eventsOf(piece.value, eventFor)
      } else if (silentMs >= silenceMs) {
        silentMs = 0
        yield ': still here\n\n'
      }
    }
  } finally {
    pieces.return?.().catch(() => undefined) // not waited for: it may be in the middle of a pause
  }
}

/** The lines of one piece, which are whole. */
function eventsOf(piece: Uint8Array, eventFor: EventFor): string {
  const lines = Buffer.from(piece).toString().split('\n').filter(Boolean)
  return lines.map(eventFor).join('')
}

function eventText(record: unknown): string {
  const { id } = identified.parse(record)
  return `event: request\nid: ${id}\ndata: ${toJson(record)}\n\n`
}
