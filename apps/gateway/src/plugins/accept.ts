import { isBytes, type Operation } from '@reticle/contracts/api/operation'
import { mediaType } from '@reticle/contracts/openapi'
import Negotiator from 'negotiator'
import { notAcceptable } from '../http-error.ts'
import type { Check } from '../request.ts'
import { problemType } from './problem.ts'

/** Content negotiation of JSON answers (`spec/api-workspace.md` 1.2). */

const vendorType = /^application\/vnd\.[\w.+-]+\+json$/i
const versions = new Set(['2', '2.0', '2.58', '2.58.1'])
const noQuality = /^0(?:\.0*)?$/

const longestAccept = 1024
const mostRanges = 20

/**
 * `Accept` of a request, unless it is longer than 1 KiB or has more than 20 media ranges: that one is disregarded
 * (RFC 9110 12.5.1), and the answer is the one for a request without `Accept`.
 */
export function readAccept(accept: string | undefined): string | undefined {
  if (accept === undefined || accept.length > longestAccept) return undefined
  return accept.split(',').length > mostRanges ? undefined : accept
}

/** The media type of the answer that `Accept` asks for; null when it allows none that we have. */
export function negotiate(given: string | undefined): string | null {
  const accept = readAccept(given)
  if (!accept?.trim()) return mediaType
  const types = [mediaType, 'application/json', ...vendorTypes(accept)]
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(types)
  if (best !== undefined) return best.split(';', 1)[0]?.trim() ?? best
  return listsProblem(accept) ? mediaType : null
}

/** Ranges that name a vendor, and a version only if it is ours: each is a type that we have. */
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
  return { name: name.trim().toLowerCase(), value: unquoted(value.trim()) }
}

const unquoted = (text: string) =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text

/** Does the client read errors as RFC 9457? */
export const listsProblem = (accept: string | undefined): boolean =>
  listsType(accept, (type) => type.startsWith(problemType))

/** Does the client name HTML, as browsers do? Ranges such as `*\/*` do not count. */
export const listsHtml = (accept: string | undefined): boolean =>
  listsType(accept, (type) => type === 'text/html')

function listsType(accept: string | undefined, isWanted: (type: string) => boolean): boolean {
  const ranges = rangesOf(readAccept(accept)?.toLowerCase() ?? '')
  return ranges.some(({ type, parameters }) => {
    const isRefused = parameters.some(({ name, value }) => name === 'q' && noQuality.test(value))
    return isWanted(type) && !isRefused
  })
}

/** Browsers that open an address of a dialect get its JSON. */
const acceptsHtml = (accept = '') =>
  new Negotiator({ headers: { accept } }).mediaTypes(['text/html']).length > 0

/** Sets the type of the answer, which a dialect has one of; answers that are files or pictures have their own. */
export const checkAccept: Check = (request, _reply, operation) => {
  const given = request.headers.accept
  const type = negotiate(given) ?? (request.dialect && acceptsHtml(given) ? mediaType : null)
  const hasOwnType = request.routeOptions.config.ignoresAccept || mayBePicture(operation)
  if (type === null && !hasOwnType) throw notAcceptable()
  request.answerType = type && (request.dialect?.mediaType ?? type)
}

/** Bytes that were sent are JSON; bytes that are only read may be anything, and say so themselves. */
const mayBePicture = ({ answer, method }: Operation) => isBytes(answer) && method === 'GET'
