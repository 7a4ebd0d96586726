import { randomUUID } from 'node:crypto'
import type { PublishedDraft } from '@reticle/contracts/rest/drafts'
import type { Context } from '@reticle/kit'
import type { OperationDeps } from '../operations/operation.ts'

type Asked = { request_uuid: string; isTried?: boolean }

/**
 * Makes something where nobody sees it, as a draft, and shows it in one transaction at the end: a failure, a cancellation or a trial
 * leaves nothing (`reliability.md` 6.3). Every attempt has a draft of its own; that one is published once is said by the request's uuid.
 *
 * @returns what was published, nothing after a trial; and what was made
 */
export async function asDraft<M>(
  { request_uuid: call_id, isTried = false }: Asked,
  deps: OperationDeps,
  context: Context,
  make: (draft_id: string) => Promise<M>,
): Promise<{ made: M; published?: PublishedDraft }> {
  const draft_id = randomUUID()
  const { tasks } = deps.services
  try {
    const made = await make(draft_id)
    if (isTried) return { made }
    await deps.enterFinal()
    return { made, published: await tasks.publishDraft({ draft_id, call_id }, context) }
  } finally {
    await drop(draft_id, deps, context)
  }
}

const dropMs = 10_000

/** Of what was published nothing is left to be dropped. What cannot be dropped now is a day later (`drafts/` of projects-svc). */
async function drop(draft_id: string, { services }: OperationDeps, context: Context) {
  const own = { ...context, signal: AbortSignal.timeout(dropMs), deadline: Date.now() + dropMs }
  await services.tasks.dropDraft({ draft_id }, own).catch(() => undefined)
}
