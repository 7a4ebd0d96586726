import type { Operation } from '@reticle/contracts'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { type CallContext, DomainError, invalid } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { FastifyRequest } from 'fastify'
import { type ArrivingFile, type OnFile, readForm } from '../bodies/form.ts'
import type { GatewayPorts } from '../ports.ts'

export interface UploadCall {
  operation: Operation
  /** Params, query and headers as validated by the operation. */
  input: Record<string, unknown>
  request: FastifyRequest
  context: CallContext
}

/** Handler of one kind of upload: checks that it may start, stores its files, and starts their processing. */
export type Upload = (call: UploadCall, ports: GatewayPorts) => Promise<unknown>

/**
 * Returns the context for opening an upload without the call id of the idempotency key. Every attempt opens a new
 * upload for its own files; only the start of their processing happens once per key.
 */
export const withoutCallId = (context: CallContext): CallContext => ({
  ...context,
  next_call_id: undefined,
})

/** Writes one file of an upload below its prefix. Keys are numbered and contain no user input. */
export async function storeFile(
  blobs: BlobStore,
  key: string,
  { name, pieces }: ArrivingFile,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const { size, sha256 } = await blobs.put(key, pieces, { signal })
  return { name, key, size, sha256 }
}

/** Files below `prefix` that are passed to `start`, and removed when it refuses them. */
export interface Handover<S, T> {
  prefix: string
  store(): Promise<S>
  start(stored: S): Promise<T>
}

/**
 * Stores files, then starts their processing. The availability of the store is checked before the body is read.
 * Objects of an aborted or refused upload are removed; when the result of `start` is unknown they are kept, and the
 * sweeper of the requests service decides about them (docs/spec/reliability.md#uploads-and-archives).
 */
export async function storeAndStart<S, T>(
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
        .catch((err: unknown) => log.warn({ err, prefix }, 'objects of refused upload not removed'))
    throw thrown
  }
}

/**
 * Checks that the store responds.
 * @throws DomainError unavailable
 */
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

/** Forms with exactly one file. */

const limits = { files: 2, fields: 10, parts: 20 } // a second file is parsed so that its name can be reported

export const createNoFileError = (field: string) =>
  invalid({ [field]: 'No file was submitted.' }, 'required')

/**
 * Stores the file of a form below a prefix.
 * @param fields Accepted names of the field; errors use the first one.
 * @throws DomainError invalid for a missing, second, empty or misnamed file
 */
export async function storeOneFile(
  { request, context: { signal } }: UploadCall,
  { blobs, settings }: GatewayPorts,
  prefix: string,
  fields: readonly [string, ...string[]],
): Promise<UploadedFile> {
  const [field] = fields
  let stored: UploadedFile | undefined
  const onFile: OnFile = async (file, halt) => {
    if (!fields.includes(file.field))
      throw invalid({
        [field]: `No file was submitted. It is expected here, not in ${file.field}.`,
      })
    if (stored) throw invalid({ [field]: 'Only one file can be submitted.' })
    stored = await storeFile(blobs, `${prefix}0`, file, halt)
  }
  await readForm(request, { limits, maxBytes: settings.maxMultipartBytes, signal, onFile })
  if (!stored) throw createNoFileError(field)
  if (stored.size === 0) throw invalid({ [field]: 'The submitted file is empty.' })
  return stored
}
