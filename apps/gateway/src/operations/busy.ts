import type { Operation } from '@reticle/contracts/api/operation'
import type { CallContext } from '@reticle/kit'
import { z } from 'zod'
import type { GatewayServices } from '../ports.ts'

/** Returns the additional input of an operation with a `busy` rule; empty for other operations. */
export type BusyLookup = (
  operation: Operation,
  input: Record<string, unknown>,
  context: CallContext,
) => Promise<{ is_busy?: boolean }>

const ofObject = z.object({ id: z.int() })
const record = z.record(z.string(), z.unknown())

/**
 * Creates the query for running background work on an object. The owner of the object cannot make it: jobs-svc calls
 * the owner for permissions, and services must not call each other in circles
 * (docs/adr/0022-let-the-gateway-look-up-running-requests.md). The owner decides what follows from the result.
 */
export function createBusyLookup({
  requests,
}: {
  requests: Pick<GatewayServices['requests'], 'findRunning'>
}): BusyLookup {
  return async ({ busy }, input, context) => {
    if (!busy || !isQueried(busy.when, input.body)) return {}
    const { id } = ofObject.parse(input)
    const { is_running } = await requests.findRunning({ target: busy.target, id }, context)
    return { is_busy: is_running }
  }
}

function isQueried(key: string | undefined, body: unknown): boolean {
  if (key === undefined) return true
  return record.safeParse(body).data?.[key] !== undefined
}
