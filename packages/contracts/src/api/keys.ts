import { z } from 'zod'
import { nothing } from '../rest/common.ts'
import { internal, type Operation, operations } from './operation.ts'

/** The services that keep keys, each those of its own operations (`reliability.md` 13); named as their schemas are. */
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

/** Whose keys the operation's are: those of the service that answers it, which mostly is the one of people and projects. */
export const keyOwnerOf = ({ service }: Pick<Operation, 'service'>): KeyOwner =>
  ownerOf[service] ?? 'projects'

const attempt = {
  owner: z.enum(keyOwners),
  /** A uuid made of user, method, path and `Idempotency-Key`. */
  id: z.string(),
  /** A uuid of this attempt. */
  claim_id: z.string(),
  /** Of what is asked for; absent while the body is still on its way. */
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

/** `Idempotency-Key`: every service keeps those of its own operations, so this one is answered by several. */
export const keys = operations('KeyService', {
  claimKey: internal({ query: z.object(attempt), answers: { 200: claimed } }),
  settleKey: internal({
    query: z.object({ ...attempt, answer: z.string().optional() }),
    answers: { 200: nothing },
  }),
})
