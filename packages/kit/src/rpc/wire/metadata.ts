import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Metadata } from '@grpc/grpc-js'
import { principal } from '@reticle/contracts/rest/principal'
import { z } from 'zod'
import type { CallContext } from '../../call/context.ts'
import { unauthenticated } from '../../call/errors.ts'

const callKey = 'call-bin'
const signatureKey = 'call-signature-bin'
const validForMs = 60_000

const sent = z.object({
  method: z.string(),
  principal: principal.nullable(),
  credential: z.string().optional(),
  address: z.string().optional(),
  user_agent: z.string().optional(),
  request_id: z.string(),
  call_id: z.string().optional(),
  traceparent: z.string().optional(),
  until: z.number(),
})

/** Part of the context that is sent as metadata; gRPC transfers deadline and cancellation itself. */
export type SentContext = Omit<CallContext, 'next_call_id' | 'deadline' | 'signal'>

/** Method that a signature is valid for, and the keys. */
export interface Seal {
  /** Full name of the method: `/reticle.v1.LabelService/ListLabels`. */
  method: string
  /** Internal keys; the newest one signs, and all of them are accepted. */
  keys: readonly string[]
}

/** Writes the signed caller, method, request id and call id to the metadata. */
export function signContext(
  metadata: Metadata,
  context: SentContext,
  { method, keys }: Seal,
): void {
  const [newest] = keys
  if (!newest) throw new Error('there is no internal key to sign a call with')
  const { principal: caller, credential, address, user_agent, ...call } = context
  const { request_id, call_id, traceparent } = call
  const until = Date.now() + validForMs
  const who = { principal: caller, credential, address, user_agent }
  const text = Buffer.from(
    JSON.stringify({ method, ...who, request_id, call_id, traceparent, until }),
  )
  metadata.set(callKey, text)
  metadata.set(signatureKey, signature(text, newest))
}

/**
 * Reads and verifies the signed context.
 * @throws DomainError `unauthenticated` if it is missing, forged, expired or made for another method
 */
export function verifyContext(metadata: Metadata, { method, keys }: Seal): SentContext {
  const [text] = metadata.get(callKey)
  const [given] = metadata.get(signatureKey)
  const isSigned =
    Buffer.isBuffer(text) && Buffer.isBuffer(given) && keys.some((key) => fits(given, text, key))
  if (!isSigned) throw unauthenticated('The call is not signed by a service of this installation.')
  const { until, method: signed, ...call } = sent.parse(JSON.parse(String(text)))
  if (signed !== method) throw unauthenticated('The signature of the call is for another method.')
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
