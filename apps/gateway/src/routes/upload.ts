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

/**
 * For opening an upload, which every attempt does anew: its files are its own. What is done once under the key of a sender is
 * the start of what becomes of them.
 */
export const beforeItsEffect = (context: Context): Context => ({
  ...context,
  next_call_id: undefined,
})

/** Writes one file of an upload below its prefix; keys are counted, never made of what a user wrote. */
export async function storeFile(
  blobs: BlobStore,
  key: string,
  { name, pieces }: ArrivingFile,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const { size, sha256 } = await blobs.put(key, pieces, { signal })
  return { name, key, size, sha256 }
}

/** Files below `prefix` are handed over by `start`, and removed where they are not wanted. */
export interface Handover<S, T> {
  prefix: string
  store(): Promise<S>
  start(stored: S): Promise<T>
}

/**
 * Stores, then starts; that the store is away is found out before any of the body is read. Objects of an upload that broke
 * off or was refused are removed; when nobody knows how `start` ended they stay, and the sweeper of the requests decides
 * (`reliability.md` 16.1).
 */
export async function handOver<S, T>(
  { blobs, log }: Pick<GatewayPorts, 'blobs' | 'log'>,
  { prefix, store, start }: Handover<S, T>,
): Promise<T> {
  await assertStoreAnswers(blobs, prefix)
  let isStored = false
  try {
    const stored = await store()
    isStored = true
    return await start(stored)
  } catch (thrown) {
    if (!isStored || isRefusal(thrown))
      await blobs
        .removePrefix(prefix)
        .catch((err: unknown) => log.warn({ err, prefix }, 'objects of a refused upload stay'))
    throw thrown
  }
}

/** @throws DomainError unavailable */
async function assertStoreAnswers({ stat }: BlobStore, prefix: string): Promise<void> {
  await stat(`${prefix}0`).catch((thrown: unknown) => {
    const isThere = thrown instanceof DomainError && thrown.kind === 'not_found'
    if (!isThere) throw thrown
  })
}

function isRefusal(thrown: unknown): boolean {
  if (!(thrown instanceof DomainError)) return false
  return thrown.kind !== 'unavailable' && thrown.kind !== 'internal'
}
