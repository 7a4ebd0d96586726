import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Metadata } from '@grpc/grpc-js'
import { principal } from '@reticle/contracts/principal'
import { z } from 'zod'
import { unauthenticated } from '../../errors.ts'
import type { Context } from '../../rpc/context.ts'

const callKey = 'call-bin'
const signatureKey = 'call-signature-bin'
const validForMs = 60_000

const sent = z.object({
  principal: principal.nullable(),
  credential: z.string().optional(),
  address: z.string().optional(),
  request_id: z.string(),
  until: z.number(),
})

/** Writes who calls and for which request, signed with the newest of the internal keys (`reliability.md` 11). */
export function sign(metadata: Metadata, context: Context, keys: readonly string[]): void {
  const [newest] = keys
  if (!newest) throw new Error('there is no internal key to sign a call with')
  const { principal: caller, credential, address, request_id } = context
  const until = Date.now() + validForMs
  const call = { principal: caller, credential, address, request_id, until }
  const text = Buffer.from(JSON.stringify(call))
  metadata.set(callKey, text)
  metadata.set(signatureKey, signature(text, newest))
}

/** Reads it back; a missing, forged or old one is refused. */
export function verify(
  metadata: Metadata,
  keys: readonly string[],
): Omit<Context, 'deadline' | 'signal'> {
  const [text] = metadata.get(callKey)
  const [given] = metadata.get(signatureKey)
  const isSigned =
    Buffer.isBuffer(text) && Buffer.isBuffer(given) && keys.some((key) => fits(given, text, key))
  if (!isSigned) throw unauthenticated('The call is not signed by a service of this installation.')
  const { until, ...call } = sent.parse(JSON.parse(String(text)))
  if (until < Date.now()) throw unauthenticated('The signature of the call is too old.')
  return call
}

function fits(given: Buffer, text: Buffer, key: string): boolean {
  const right = signature(text, key)
  return given.length === right.length && timingSafeEqual(given, right)
}

function signature(text: Buffer, key: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
