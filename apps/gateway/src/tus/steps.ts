import type { FastifyRequest } from 'fastify'
import { queryOf } from '../request.ts'

/** The steps of an upload in several requests, and `once` for all of it in one: `spec/api-annotations.md` 2.4. */
export const steps = ['once', 'start', 'create', 'multiple', 'finish'] as const
export type Step = (typeof steps)[number]

/** Headers tell; values do not count, they are mostly empty (`spec/client-compat.md` 2.2). */
export function stepOf({ headers }: FastifyRequest): Step {
  const has = (name: string) => headers[name] !== undefined
  if (has('upload-finish')) return has('upload-start') ? 'once' : 'finish'
  if (has('upload-start')) return 'start'
  if (has('upload-length') || has('tus-resumable')) return 'create'
  return has('upload-multiple') ? 'multiple' : 'once'
}

/**
 * May it come without a file? One of several requests, and one whose file is in a cloud storage: they may send an empty
 * document as well as nothing.
 */
export const mayCarryNone = (request: FastifyRequest): boolean =>
  stepOf(request) !== 'once' || queryOf(request).get('location') === 'cloud_storage'
