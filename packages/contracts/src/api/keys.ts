import { z } from 'zod'
import { nothing } from '../rest/common.ts'
import { defineOperations, internal, type Operation } from './operation.ts'

/** Services that store idempotency keys, each for its own operations; named like their schemas. */
export const keyOwners = ['projects', 'annotations', 'requests', 'webhooks'] as const
export type KeyOwner = (typeof keyOwners)[number]

const ownerOf: Record<string, KeyOwner> = {
  AnnotationService: 'annotations',
  RequestService: 'requests',
  FrameService: 'requests',
  ServerService: 'requests',
  WebhookService: 'webhooks',
  EventService: 'webhooks',
}

/** Returns the owner of the keys of an operation: the service that answers it, which is projects-svc by default. */
export const keyOwnerOf = ({ service }: Pick<Operation, 'service'>): KeyOwner =>
  ownerOf[service] ?? 'projects'

const attempt = {
  owner: z.enum(keyOwners),
  /** A uuid derived from user, method, path and `Idempotency-Key`. */
  id: z.string(),
  /** A uuid of this attempt. */
  claim_id: z.string(),
  /** Hash of the request; absent while its body is still being received. */
  fingerprint: z.string().optional(),
}

const claimed = z
  .object({
    state: z.enum(['yours', 'running', 'reused', 'answered']),
    call_id: z.string().optional(),
    fingerprint: z.string().optional(),
    answer: z.string().optional(),
  })
  .meta({ id: 'ClaimedKey' })

/** Idempotency keys. Several services implement this table, each for the keys of its own operations. */
export const keys = defineOperations('KeyService', {
  claimKey: internal({ query: z.object(attempt), answers: { 200: claimed } }),
  settleKey: internal({
    query: z.object({ ...attempt, answer: z.string().optional() }),
    answers: { 200: nothing },
  }),
})
