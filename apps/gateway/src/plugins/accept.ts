import { isBytes, type Operation } from '@reticle/contracts/api/operation'
import { mediaType } from '@reticle/contracts/openapi'
import Negotiator from 'negotiator'
import { notAcceptable } from '../call/http-error.ts'
import type { RequestCheck } from '../call/request.ts'
import { problemType } from './problem.ts'

/** Content negotiation of JSON responses. */

const vendorType = /^application\/vnd\.[\w.+-]+\+json$/i
const versions = new Set(['2', '2.0', '2.58', '2.58.1'])
const noQuality = /^0(?:\.0*)?$/

const longestAccept = 1024
const mostRanges = 20

/**
 * Returns the `Accept` header, unless it is longer than 1 KiB or has more than 20 media ranges. Such a header is
 * ignored (RFC 9110 12.5.1), as if it were missing.
 */
export function readAccept(accept: string | undefined): string | undefined {
  if (accept === undefined || accept.length > longestAccept) return undefined
  return accept.split(',').length > mostRanges ? undefined : accept
}

/** Returns the media type of the response that `Accept` selects; null when it allows none of ours. */
export function negotiateMediaType(given: string | undefined): string | null {
  const accept = readAccept(given)
  if (!accept?.trim()) return mediaType
  const types = [mediaType, 'application/json', ...vendorTypes(accept)]
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(types)
  if (best !== undefined) return best.split(';', 1)[0]?.trim() ?? best
  return listsProblem(accept) ? mediaType : null
}

/** Returns the ranges with a vendor, and with our version if they have one: each is a supported type. */
function vendorTypes(accept: string): string[] {
  return rangesOf(accept).flatMap(({ type, parameters }) => {
    const others = parameters.filter(({ name }) => name !== 'q')
    const isOurs = others.every(({ name, value }) => name === 'version' && versions.has(value))
    if (!isOurs || others.length > 1 || !vendorType.test(type)) return []
    return [[type, ...others.map(({ name, value }) => `${name}=${value}`)].join(';')]
  })
}

interface MediaRange {
  type: string
  parameters: { name: string; value: string }[]
}

function rangesOf(accept: string): MediaRange[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';')
    return { type: type.trim(), parameters: parameters.map(parameterOf) }
  })
}

function parameterOf(text: string): MediaRange['parameters'][number] {
  const [name = '', value = ''] = text.split('=')
  return { name: name.trim().toLowerCase(), value: unquote(value.trim()) }
}

const unquote = (text: string) =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text

/** Returns whether the client accepts RFC 9457 errors. */
export const listsProblem = (accept: string | undefined): boolean =>
  listsType(accept, (type) => type.startsWith(problemType))

/** Returns whether the client names HTML, as browsers do. Ranges such as `*\/*` do not count. */
export const listsHtml = (accept: string | undefined): boolean =>
  listsType(accept, (type) => type === 'text/html')

function listsType(accept: string | undefined, matches: (type: string) => boolean): boolean {
  const ranges = rangesOf(readAccept(accept)?.toLowerCase() ?? '')
  return ranges.some(({ type, parameters }) => {
    const isRefused = parameters.some(({ name, value }) => name === 'q' && noQuality.test(value))
    return matches(type) && !isRefused
  })
}

/** Browsers that open a URL of a dialect get its JSON. */
const acceptsHtml = (accept = '') =>
  new Negotiator({ headers: { accept } }).mediaTypes(['text/html']).length > 0

/** Sets the type of the response; a dialect has only one. Responses with files or images have their own type. */
export const checkAccept: RequestCheck = (request, _reply, operation) => {
  const given = request.headers.accept
  const type =
    negotiateMediaType(given) ?? (request.dialect && acceptsHtml(given) ? mediaType : null)
  const hasOwnType = request.routeOptions.config.ignoresAccept || mayBePicture(operation)
  if (type === null && !hasOwnType) throw notAcceptable()
  request.answerType = type && (request.dialect?.mediaType ?? type)
}

/** Bytes in response to a write are JSON; bytes in response to a read may have any type, which the handler sets. */
const mayBePicture = ({ answer, method }: Operation) => isBytes(answer) && method === 'GET'
