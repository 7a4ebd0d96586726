import type { webhooks } from '@reticle/contracts/api/webhooks'
import type { Service } from '@reticle/kit'
import { deliveryHandlers } from './deliveries/rpc.ts'
import { describeLimits } from './limits.ts'
import { type PingDeps, pingHandlers } from './messages/ping.ts'
import { type MessageDeps, messageHandlers } from './messages/rpc.ts'
import { type WebhookDeps, webhookHandlers } from './webhooks/rpc.ts'

export interface HandlerDeps extends WebhookDeps, MessageDeps, PingDeps {}

/** Creates all handlers of the webhook operations. */
export const handlersOf = (deps: HandlerDeps): Service<typeof webhooks> => ({
  describe: async () => describeLimits(deps),
  ...webhookHandlers(deps),
  ...deliveryHandlers(deps),
  ...messageHandlers(deps),
  ...pingHandlers(deps),
})
