import type { Operation } from '@reticle/contracts'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { type Context, DomainError } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { FastifyRequest } from 'fastify'
import type { GatewayPorts } from '../ports.ts'
import type { ArrivingFile } from './form.ts'

export interface UploadCall {
  operation: Operation
  /** Params, query and headers as the row reads them. */
  input: Record<string, unknown>
  request: FastifyRequest
  context: Context
}

/** One kind of upload: asks whether it may begin, stores its files, starts what is to be done with them. */
export type Upload = (call: UploadCall, ports: GatewayPorts) => Promise<unknown>

/** Writes one file of an upload below its prefix; keys are counted, never made of what a user wrote. */
export async function storeFile(
  blobs: BlobStore,
  key: string,
  { name, pieces }: ArrivingFile,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const { size } = await blobs.put(key, pieces, { signal })
  return { name, key, size }
}

/**
 * Runs what stores files below `prefix` and hands them over. When it is refused the objects are removed; when nobody
 * knows how it ended they stay, and the sweeper of the requests decides (`reliability.md` 16.1).
 */
export async function orRemove<T>(
  { blobs, log }: Pick<GatewayPorts, 'blobs' | 'log'>,
  prefix: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    if (isRefusal(thrown))
      await blobs
        .removePrefix(prefix)
        .catch((err: unknown) => log.warn({ err, prefix }, 'objects of a refused upload stay'))
    throw thrown
  }
}

function isRefusal(thrown: unknown): boolean {
  if (!(thrown instanceof DomainError)) return false
  return thrown.kind !== 'unavailable' && thrown.kind !== 'internal'
}
