import { randomUUID } from 'node:crypto'
import type { PublishedDraft } from '@reticle/contracts/rest/drafts'
import type { CallContext } from '@reticle/kit'
import type { OperationDeps } from '../operations/operation.ts'

type DraftRequest = { request_uuid: string; isTried?: boolean }

/**
 * Makes hidden objects as a draft, and publishes them in one transaction at the end: a failure, a cancellation or a dry
 * run leaves nothing. Every attempt has its own draft; the uuid of the request ensures that only one is published
 * (docs/adr/0027-build-project-imports-as-hidden-drafts.md).
 *
 * @returns the published objects, absent after a dry run; and the result of `make`
 */
export async function asDraft<M>(
  { request_uuid: call_id, isTried = false }: DraftRequest,
  deps: OperationDeps,
  context: CallContext,
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

/**
 * Drops a draft; a published one has nothing left to drop. If this fails, projects-svc drops it a day later
 * (`apps/projects-svc/src/drafts`).
 */
async function drop(draft_id: string, { services }: OperationDeps, context: CallContext) {
  const own = { ...context, signal: AbortSignal.timeout(dropMs), deadline: Date.now() + dropMs }
  await services.tasks.dropDraft({ draft_id }, own).catch(() => undefined)
}
