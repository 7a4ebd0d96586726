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
  for (const operation of [streamRequest, streamRequests]) serveStream(api, operation, ports, phase)
}

function serveStream(
  api: FastifyInstance,
  operation: Operation,
  { services: { requests }, settings }: GatewayPorts,
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
    const shown = (line: string) => {
      const record = absolute(requestRecord, JSON.parse(line), base)
      return translate ? translate(record, base) : record
    }
    return reply.send(Readable.from(eventTexts(chunks, shown, phase), { objectMode: false }))
  })
}

/** The record of a line as the client is shown it. */
type Shown = (line: string) => unknown
const identified = z.object({ id: z.string() })

const tickMs = 1000
/** Proxies and clients take a longer silence for the end. */
const silenceMs = 15_000
/** Until a client comes back, in milliseconds. */
const retry = 2000

/** Ends when there is nothing more to tell, or when this process is about to go. */
async function* eventTexts(
  chunks: AsyncIterable<Uint8Array>,
  shown: Shown,
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
        yield eventsOf(piece.value, shown)
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
function eventsOf(piece: Uint8Array, shown: Shown): string {
  const lines = Buffer.from(piece).toString().split('\n').filter(Boolean)
  return lines.map((line) => eventOf(line, shown)).join('')
}

function eventOf(line: string, shown: Shown): string {
  const record = shown(line)
  const { id } = identified.parse(record)
  return `event: request\nid: ${id}\ndata: ${toJson(record)}\n\n`
}
