import { isBytes, type Operation } from '@reticle/contracts/api/operation'
import { mediaType } from '@reticle/contracts/openapi'
import Negotiator from 'negotiator'
import { notAcceptable } from '../http-error.ts'
import type { Check } from '../request.ts'
import { problemType } from './problem.ts'

/** Content negotiation of JSON answers (`spec/api-workspace.md` 1.2). */

const vendorRange =
  /^(application\/vnd\.[\w.+-]+\+json)\s*(?:;\s*version\s*=\s*"?(?:2|2\.0|2\.58|2\.58\.1)"?\s*)?$/i
const quality = /\s*;\s*q\s*=[^;]*/i
const refused = /;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/i

/** The media type of the answer that `Accept` asks for; null when it allows none that we have. */
export function negotiate(accept: string | undefined): string | null {
  if (!accept?.trim()) return mediaType
  const types = [mediaType, 'application/json', ...vendorTypes(accept)]
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(types)
  if (best !== undefined) return best.split(';', 1)[0]?.trim() ?? best
  return listsProblem(accept) ? mediaType : null
}

/** Ranges that name a vendor, and a version only if it is ours: each is a type that we have. */
function vendorTypes(accept: string): string[] {
  return accept
    .split(',')
    .map((range) => range.replace(quality, '').trim())
    .filter((range) => vendorRange.test(range))
}

/** Does the client read errors as RFC 9457? */
export function listsProblem(accept: string | undefined): boolean {
  const ranges = accept?.toLowerCase().split(',') ?? []
  return ranges.some((range) => range.trim().startsWith(problemType) && !refused.test(range))
}

/** Sets the type of the answer, which a dialect has one of; answers that are files or pictures have their own. */
export const checkAccept: Check = (request, _reply, operation) => {
  const type = negotiate(request.headers.accept)
  const hasOwnType = request.routeOptions.config.ignoresAccept || mayBePicture(operation)
  if (type === null && !hasOwnType) throw notAcceptable()
  request.answerType = type && (request.dialect?.mediaType ?? type)
}

/** Bytes that were sent are JSON; bytes that are only read may be anything, and say so themselves. */
const mayBePicture = ({ answer, method }: Operation) => isBytes(answer) && method === 'GET'
