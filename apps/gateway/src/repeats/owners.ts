import type { KeyOwner } from '@reticle/contracts/api/keys'
import type { GatewayServices } from '../ports.ts'

type Keys = GatewayServices['keys']

/** Combines the key tables of all services; each call is routed to the owner that it names. */
export function routeKeysByOwner(owners: Record<KeyOwner, Keys>): Keys {
  return {
    claimKey: (input, context) => owners[input.owner].claimKey(input, context),
    settleKey: (input, context) => owners[input.owner].settleKey(input, context),
  }
}
