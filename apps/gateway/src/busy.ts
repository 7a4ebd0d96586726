import type { Operation } from '@reticle/contracts/api/operation'
import type { Context } from '@reticle/kit'
import { z } from 'zod'
import type { Services } from './ports.ts'

/** Returns the additional input of an operation with a `busy` rule; empty for other operations. */
export type AskBusy = (
  operation: Operation,
  input: Record<string, unknown>,
  context: Context,
) => Promise<{ is_busy?: boolean }>

const ofObject = z.object({ id: z.int() })
const record = z.record(z.string(), z.unknown())

/**
 * Creates the query for running background work on an object. The owner of the object cannot make it: jobs-svc calls
 * the owner for permissions, and services must not call each other in circles
 * (docs/adr/0022-let-the-gateway-look-up-running-requests.md). The owner decides what follows from the result.
 */
export function busyOf({
  requests,
}: {
  requests: Pick<Services['requests'], 'findRunning'>
}): AskBusy {
  return async ({ busy }, input, context) => {
    if (!busy || !isWanted(busy.when, input.body)) return {}
    const { id } = ofObject.parse(input)
    const { is_running } = await requests.findRunning({ target: busy.target, id }, context)
    return { is_busy: is_running }
  }
}

function isWanted(key: string | undefined, body: unknown): boolean {
  if (key === undefined) return true
  return record.safeParse(body).data?.[key] !== undefined
}
