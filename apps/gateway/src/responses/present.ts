import { text } from 'node:stream/consumers'
import { isPage, type Operation } from '@reticle/contracts/api/operation'
import { mediaType } from '@reticle/contracts/openapi'
import { shownAs } from '@reticle/contracts/rest/common'
import { type BytesAnswer, isBytesAnswer } from '@reticle/kit/call/context'
import { recordTag } from '@reticle/kit/call/etag'
import { pageNumber, readPage } from '@reticle/kit/list/page'
import { hasLinks, toAbsoluteLinks } from '@reticle/kit/net/links'
import { createPacer } from '@reticle/kit/scheduling/pacer'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { baseOf, originOf, queryOf, translationOf } from '../call/request.ts'
import { isNotModified, sendBytes } from './send-bytes.ts'

/** Sends the result of a handler with absolute links, links to neighbouring pages, and the entity tag of a record. */
export async function presentResult(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
): Promise<FastifyReply> {
  reply.code(operation.success)
  if (operation.successor) reply.headers(deprecationHeaders(operation.successor, request))
  if (isBytesAnswer(answer)) {
    if (answer.head.length === 0 && 204 in operation.answers) reply.code(204)
    return sendBytes(request, reply, translateBytes(operation, request, answer))
  }
  reply.header('cache-control', 'no-store')
  if (answer === undefined) return reply.send()
  const tag = tagOf(operation, answer)
  if (tag) reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
  if (tag && isNotModified(request, tag)) return reply.code(304).send()
  const value = translateResult(operation, request, answer)
  const made = operation.success === 201 ? linkedRecord.safeParse(value).data : undefined
  if (made) reply.header('location', made.url)
  const text = await toJsonInSteps(value)
  return sendJson(request, reply, value, () => text)
}

/** Returns the headers of a deprecated operation. */
function deprecationHeaders(successor: string, request: FastifyRequest) {
  const given = z.record(z.string(), z.string()).parse(request.params)
  const path = successor.replace(/:(\w+)/g, (_, name) => encodeURIComponent(given[name] ?? ''))
  const link = `<${baseOf(request)}${path}>; rel="successor-version"`
  return { deprecation: 'true', link }
}

/** Serializes a response. Without a serializer the framework would add `charset=utf-8` to the media type. */
export const toJson = (value: unknown): string => JSON.stringify(value)

/** Number of records that are serialized at once. */
const recordsAtOnce = 100

/** Serializes like `toJson`; a long page is written in steps that yield to the event loop. */
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

/** Sends a value with the negotiated media type. */
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

/** Translates a response into the dialect of the client. */
function translateResult(operation: Operation, request: FastifyRequest, answer: unknown): unknown {
  const value = addLinks(operation, request, answer)
  const translate = translationOf(request, operation)?.answer
  const { 'user-agent': userAgent = '' } = request.headers
  return translate ? translate(value, baseOf(request), userAgent) : value
}

function addLinks(operation: Operation, request: FastifyRequest, answer: unknown): unknown {
  const base = baseOf(request)
  const [schema] = Object.values(operation.answers)
  const value = toAbsoluteLinks(operation.answer, answer, base)
  if (!schema || !isPage(schema)) return value
  const { count, results } = pageShape.parse(value)
  return { count, ...pageLinksOf(request, count), results }
}

/** Translates a stream; its length changes and is not known in advance. */
function translateBytes(
  operation: Operation,
  request: FastifyRequest,
  answer: BytesAnswer,
): BytesAnswer {
  const chunks = addLinksToBytes(operation, request, answer)
  const translate = translationOf(request, operation)?.bytes
  if (!translate) return { ...answer, chunks }
  const { length: _, ...head } = answer.head
  return { head, chunks: transformStream(chunks, translate) }
}

type Chunks = BytesAnswer['chunks']

/**
 * Applies `change` to a stream. If no piece is ever read, `change` would not close its source, so closing the result
 * closes both.
 */
function transformStream(chunks: Chunks, change: (pieces: Chunks) => Chunks): Chunks {
  const pieces = chunks[Symbol.asyncIterator]()
  const changed = change({ [Symbol.asyncIterator]: () => pieces })[Symbol.asyncIterator]()
  const end = async () => {
    await pieces.return?.()
    return (await changed.return?.()) ?? { done: true as const, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next: () => changed.next(), return: end }) }
}

/** Passes bytes unchanged, except for a record with links: it is small, and is parsed here. */
function addLinksToBytes(
  { answer: schema }: Operation,
  request: FastifyRequest,
  { chunks }: BytesAnswer,
): Chunks {
  const shown = shownAs(schema)
  if (!shown || !hasLinks(shown)) return chunks
  async function* linked(pieces: Chunks, record: z.core.$ZodType) {
    const value = JSON.parse(await text(pieces))
    yield Buffer.from(toJson(toAbsoluteLinks(record, value, baseOf(request))))
  }
  return transformStream(chunks, (pieces) => linked(pieces, shown))
}

const pageShape = z.looseObject({ count: z.number(), results: z.array(z.unknown()) })
const linkedRecord = z.looseObject({ url: z.string() })

/** Parts of a record from which its entity tag is derived, by the kind of the tag. */
const taggedParts = {
  date: z.object({ id: z.number(), updated_date: z.string() }),
  revision: z.object({
    id: z.number(),
    updated_date: z.string(),
    revision: z.number().optional(),
  }),
  content: z.looseObject({ id: z.number() }),
}

function tagOf({ etag }: Operation, answer: unknown): string | undefined {
  const found = etag && taggedParts[etag].safeParse(answer)
  return found?.success ? recordTag(found.data) : undefined
}

/** Returns the URLs of the previous and next page, with all query parameters kept. */
function pageLinksOf(request: FastifyRequest, count: number) {
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

/** Path and query of a request target, which may be an absolute URL (RFC 9112 3.2.2). */
const target = /^(?:[a-z]+:\/\/[^/?]*)?([^?#]*)\??([^#]*)/i

function pageLink(request: FastifyRequest, number: number): string {
  const [, path, query] = target.exec(request.url) ?? []
  const parameters = new URLSearchParams(query)
  parameters.set('page', String(number))
  return `${originOf(request)}${request.mount}${path}?${parameters}`
}
