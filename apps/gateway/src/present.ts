import { text } from 'node:stream/consumers'
import { isPage, type Operation } from '@reticle/contracts/api/operation'
import { mediaType } from '@reticle/contracts/openapi'
import { isTagged, shownAs } from '@reticle/contracts/rest/common'
import { recordTag } from '@reticle/kit/etag'
import { absolute, hasLinks } from '@reticle/kit/links'
import { pageNumber, readPage } from '@reticle/kit/list/page'
import { createPacer } from '@reticle/kit/pacer'
import { type BytesAnswer, isBytesAnswer } from '@reticle/kit/rpc/context'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isNotModified } from './etag-match.ts'
import { baseOf, originOf, queryOf, translationOf } from './request.ts'
import { sendBytes } from './send-bytes.ts'

/** Sends what a handler answered: absolute links, neighbours of a page, the tag of a record (`design.md` 8). */
export async function present(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
): Promise<FastifyReply> {
  reply.code(operation.success)
  if (operation.successor) reply.headers(deprecation(operation.successor, request))
  if (isBytesAnswer(answer)) {
    if (answer.head.length === 0 && 204 in operation.answers) reply.code(204)
    return sendBytes(request, reply, translatedBytes(operation, request, answer))
  }
  reply.header('cache-control', 'no-store')
  if (answer === undefined) return reply.send()
  const tag = tagOf(operation, answer)
  if (tag) reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
  if (tag && isNotModified(request, tag)) return reply.code(304).send()
  const value = translated(operation, request, answer)
  const made = operation.success === 201 ? linkedRecord.safeParse(value).data : undefined
  if (made) reply.header('location', made.url)
  const text = await toJsonInSteps(value)
  return sendJson(request, reply, value, () => text)
}

/** Headers of an operation that is kept for old clients (`spec/api-workspace.md` 1.3). */
function deprecation(successor: string, request: FastifyRequest) {
  const given = z.record(z.string(), z.string()).parse(request.params)
  const path = successor.replace(/:(\w+)/g, (_, name) => encodeURIComponent(given[name] ?? ''))
  const link = `<${baseOf(request)}${path}>; rel="successor-version"`
  return { deprecation: 'true', link }
}

/** Serializer of answers: without one of its own the framework would add `charset=utf-8` to their media types. */
export const toJson = (value: unknown): string => JSON.stringify(value)

/** Records of a page that are written at once. */
const recordsAtOnce = 100

/** As `toJson`; a long page is written in steps, with turns for other calls. */
async function toJsonInSteps(value: unknown): Promise<string> {
  const page = pageShape.safeParse(value)
  if (!page.success || page.data.results.length <= recordsAtOnce) return toJson(value)
  const { results, ...head } = page.data
  const pace = createPacer()
  const texts: string[] = []
  for (let from = 0; from < results.length; from += recordsAtOnce) {
    await pace()
    texts.push(toJson(results.slice(from, from + recordsAtOnce)).slice(1, -1))
  }
  return `${toJson(head).slice(0, -1)},"results":[${texts.join()}]}`
}

/** Sends a value under the media type that the client asked for. */
export function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  value: unknown,
  serialize: (value: unknown) => string = toJson,
): FastifyReply {
  return reply
    .type(request.answerType ?? mediaType)
    .serializer(serialize)
    .send(value)
}

/** As the client's dialect says it. */
function translated(operation: Operation, request: FastifyRequest, answer: unknown): unknown {
  const value = linked(operation, request, answer)
  const translate = translationOf(request, operation)?.answer
  const { 'user-agent': userAgent = '' } = request.headers
  return translate ? translate(value, baseOf(request), userAgent) : value
}

function linked(operation: Operation, request: FastifyRequest, answer: unknown): unknown {
  const base = baseOf(request)
  const [schema] = Object.values(operation.answers)
  const value = absolute(operation.answer, answer, base)
  if (!schema || !isPage(schema)) return value
  const { count, results } = pageShape.parse(value)
  return { count, ...neighbours(request, count), results }
}

/** In another language it has another length, which nobody knows before. */
function translatedBytes(
  operation: Operation,
  request: FastifyRequest,
  answer: BytesAnswer,
): BytesAnswer {
  const chunks = linkedBytes(operation, request, answer)
  const translate = translationOf(request, operation)?.bytes
  if (!translate) return { ...answer, chunks }
  const { length: _, ...head } = answer.head
  return { head, chunks: through(chunks, translate) }
}

type Chunks = BytesAnswer['chunks']

/** What `change` makes of bytes. Where it is never asked for a piece, it would not end them: whoever ends it ends both. */
function through(chunks: Chunks, change: (pieces: Chunks) => Chunks): Chunks {
  const pieces = chunks[Symbol.asyncIterator]()
  const changed = change({ [Symbol.asyncIterator]: () => pieces })[Symbol.asyncIterator]()
  const end = async () => {
    await pieces.return?.()
    return (await changed.return?.()) ?? { done: true as const, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next: () => changed.next(), return: end }) }
}

/** Bytes pass as they are, unless what they show has links: that is a small record, which is parsed here. */
function linkedBytes(
  { answer: schema }: Operation,
  request: FastifyRequest,
  { chunks }: BytesAnswer,
): Chunks {
  const shown = shownAs(schema)
  if (!shown || !hasLinks(shown)) return chunks
  async function* linked(pieces: Chunks, record: z.core.$ZodType) {
    const value = JSON.parse(await text(pieces))
    yield Buffer.from(toJson(absolute(record, value, baseOf(request))))
  }
  return through(chunks, (pieces) => linked(pieces, shown))
}

const pageShape = z.looseObject({ count: z.number(), results: z.array(z.unknown()) })
const linkedRecord = z.looseObject({ url: z.string() })
const record = z.looseObject({
  id: z.number(),
  updated_date: z.string().optional(),
  revision: z.number().optional(),
})

function tagOf({ answer: schema }: Operation, answer: unknown): string | undefined {
  const found = record.safeParse(answer)
  if (!found.success) return undefined
  const hasRevision = found.data.updated_date !== undefined || isTagged(schema)
  return hasRevision ? recordTag(found.data) : undefined
}

/** Addresses of the pages before and after, with every parameter of the query kept (`spec/api-workspace.md` 1.5). */
function neighbours(request: FastifyRequest, count: number) {
  const query = queryOf(request)
  const page = readPage({
    page: textOf(query.get('page')),
    page_size: textOf(query.get('page_size')),
  })
  const number = pageNumber(page, count)
  const link = (to: number) => pageLink(request, to)
  return {
    next: number * page.size < count ? link(number + 1) : null,
    previous: number > 1 ? link(number - 1) : null,
  }
}

const textOf = (given: unknown) => (typeof given === 'string' ? given : undefined)

/** Path and query of what was asked for, which may be a whole address (RFC 9112 3.2.2). */
const target = /^(?:[a-z]+:\/\/[^/?]*)?([^?#]*)\??([^#]*)/i

function pageLink(request: FastifyRequest, number: number): string {
  const [, path, query] = target.exec(request.url) ?? []
  const parameters = new URLSearchParams(query)
  parameters.set('page', String(number))
  return `${originOf(request)}${request.mount}${path}?${parameters}`
}
