import type { Operation } from '@reticle/contracts/api/operation'
import { DomainError } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'
import { queryOf } from '../../call/request.ts'

/**
 * Checks that an access token may call an operation; other credentials are not restricted.
 * @throws DomainError forbidden
 */
export function allowToken({ by_token, method }: Operation, request: FastifyRequest): void {
  const token = request.principal?.token
  if (!token) return
  const isReading = method === 'GET'
  if (by_token === 'never') throw createRefusal('Access tokens may not do this.')
  if (!token.read_only || isReading) return
  if (by_token !== 'always') throw createRefusal('This access token may only read.')
  if (writesToCloudStorage(request))
    throw createRefusal('This access token may only read: it may not write into a cloud storage.')
}

/** Returns whether an export writes to a cloud storage; an export to download counts as reading. */
const writesToCloudStorage = (request: FastifyRequest) =>
  [queryOf(request).get('location')].flat().includes('cloud_storage')

const createRefusal = (detail: string) => new DomainError('forbidden', detail)
