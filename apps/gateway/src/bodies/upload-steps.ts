import type { FastifyRequest } from 'fastify'
import { queryOf } from '../call/request.ts'

/** Steps of an upload in several calls, and `once` for an upload in a single call. */
export const steps = ['once', 'start', 'create', 'multiple', 'finish'] as const
export type UploadStep = (typeof steps)[number]

/** Returns the step of a call. Only the presence of headers counts, because their values are usually empty. */
export function stepOf({ headers }: FastifyRequest): UploadStep {
  const has = (name: string) => headers[name] !== undefined
  if (has('upload-finish')) return has('upload-start') ? 'once' : 'finish'
  if (has('upload-start')) return 'start'
  if (has('upload-length') || has('tus-resumable')) return 'create'
  return has('upload-multiple') ? 'multiple' : 'once'
}

/**
 * Returns whether a call may come without a file: in an upload of several calls, and for a file in a cloud storage.
 * Such a call may also send an empty document.
 */
export const mayCarryNone = (request: FastifyRequest): boolean =>
  stepOf(request) !== 'once' || queryOf(request).get('location') === 'cloud_storage'
