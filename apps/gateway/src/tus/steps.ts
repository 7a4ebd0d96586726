import type { FastifyRequest } from 'fastify'

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

/** One of several requests: those that carry no file may send an empty document as well as nothing. */
export const isStep = (request: FastifyRequest): boolean => stepOf(request) !== 'once'
