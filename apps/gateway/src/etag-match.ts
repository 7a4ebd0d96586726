import type { FastifyRequest } from 'fastify'

const withoutWeakness = (tag: string) => tag.trim().replace(/^W\//, '')

/** Returns whether `If-None-Match` of a read contains this entity tag (RFC 9110 13.1.2, weak comparison). */
export function isNotModified({ method, headers }: FastifyRequest, tag: string): boolean {
  const given = headers['if-none-match']
  if (given === undefined || (method !== 'GET' && method !== 'HEAD')) return false
  if (given.trim() === '*') return true
  return given.split(',').some((one) => withoutWeakness(one) === withoutWeakness(tag))
}
