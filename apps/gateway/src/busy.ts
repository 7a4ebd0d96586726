import type { Operation } from '@reticle/contracts/api/operation'
import type { Context } from '@reticle/kit'
import { z } from 'zod'
import type { Services } from './ports.ts'

/** What a row wants to know beside its input (`busy` of the row); nothing for most of them. */
export type AskBusy = (
  operation: Operation,
  input: Record<string, unknown>,
  context: Context,
) => Promise<{ is_busy?: boolean }>

const ofObject = z.object({ id: z.int() })
const record = z.record(z.string(), z.unknown())

/**
 * Asks whether background work of an object is under way. Its owner cannot: who does the work asks the owner for rights, and
 * services do not ask in circles (ADR 0022). What follows from the answer is the owner's to say.
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
