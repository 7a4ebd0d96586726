import { randomUUID } from 'node:crypto'
import type { Operation } from '@reticle/contracts'
import { keyOwnerOf } from '@reticle/contracts/api/keys'
import type { FastifyRequest } from 'fastify'
import { announcedLength, limitedBytes } from '../bodies/body.ts'
import { boundaryOf } from '../bodies/form.ts'
import type { GatewaySettings } from '../config.ts'
import { openFingerprint } from './fingerprint.ts'
import { encryptionKeyOf, keyId, readKey } from './key.ts'
import type { Repeat } from './state.ts'

export type BodyLimits = Pick<
  GatewaySettings,
  'maxBodyBytes' | 'maxAnnotationsBodyBytes' | 'maxMultipartBytes'
>

/**
 * Maximum size in bytes of a streamed body that is read before its key is looked up, so that a key with another body
 * is refused at once.
 */
const smallBytes = 1024 * 1024

/**
 * Prepares a call with a key. A small body is read here; for a large one or a form the fingerprint is computed as it
 * passes.
 * @throws DomainError invalid for an invalid key, too_large
 */
export async function openRepeat(
  request: FastifyRequest,
  operation: Operation,
  { given, user_id, limits }: { given: string | string[]; user_id: number; limits: BodyLimits },
): Promise<Repeat> {
  const key = readKey(given)
  const { method, params, url, headers } = request
  const scope = { user_id, method, path: `${operation.path} ${JSON.stringify(params)}` }
  const [, query = ''] = url.split('?', 2)
  const fingerprintValues = [
    query,
    ...fingerprintHeaders.map((name) => headers[name] ?? null),
    ...dialectValues(request),
  ]
  const boundary = operation.form && boundaryOf(request)
  const fingerprint = openFingerprint(fingerprintValues, boundary || undefined)
  let text: string | undefined
  const repeat: Repeat = {
    owner: keyOwnerOf(operation),
    id: keyId(key, scope),
    claim_id: randomUUID(),
    seal: encryptionKeyOf(key, scope),
    fingerprint: () => text,
    read: fingerprint.add,
    end: () => {
      text ??= fingerprint.text()
    },
  }
  if (isUnread(operation)) repeat.end()
  const limit = limitOf(operation, request, limits)
  if (limit !== undefined) repeat.whole = await readWhole(request, repeat, limit)
  return repeat
}

/** Returns the dialect and mount, because another dialect or other links mean another response. */
const dialectValues = ({ dialect, mount }: FastifyRequest) => (dialect ? [dialect.name, mount] : [])

/** Headers that change the meaning of a call. */
const fingerprintHeaders = [
  'x-organization',
  'if-match',
  'tus-resumable',
  'upload-length',
  'upload-metadata',
  'upload-start',
  'upload-multiple',
  'upload-finish',
]

/**
 * Returns whether the fingerprint ignores the body: routes of the gateway itself read their bodies in different ways,
 * and only forms are supported here.
 */
const isUnread = ({ by, form }: Operation) => by === 'gateway' && form === undefined

/** Returns the maximum size of a body that is read completely; undefined for a body that is streamed. */
function limitOf(operation: Operation, { raw }: FastifyRequest, { maxBodyBytes }: BodyLimits) {
  const { form, body } = operation
  if (form || isUnread(operation)) return undefined
  if (body?.meta()?.bytes !== true) return maxBodyBytes
  const announced = announcedLength(raw)
  return announced !== undefined && announced <= smallBytes ? smallBytes : undefined
}

async function readWhole({ raw }: FastifyRequest, repeat: Repeat, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of limitedBytes(raw, limit)) {
    repeat.read(piece)
    pieces.push(piece)
  }
  repeat.end()
  return Buffer.concat(pieces)
}

/** Reads the rest of a body whose call is not repeated, to complete its fingerprint. */
export async function passBody(
  { raw }: FastifyRequest,
  repeat: Repeat,
  { form }: Operation,
  limits: BodyLimits,
): Promise<void> {
  if (repeat.fingerprint() !== undefined) return
  const limit = form ? limits.maxMultipartBytes : limits.maxAnnotationsBodyBytes
  for await (const piece of limitedBytes(raw, limit)) repeat.read(piece)
  repeat.end()
}
