import { setTimeout as sleep } from 'node:timers/promises'
import { type CallContext, DomainError } from '@reticle/kit'
import { listUnhandled } from '@reticle/kit/outbox/inbox'
import { type Deps, group } from '../deps.ts'

const firstPauseMs = 10
const longestPauseMs = 250
/** Part of the deadline, in milliseconds, that is left for sending the response. */
const answerMs = 2000

/**
 * Waits until this service has handled the events of recent label changes, so that a read or write that starts after
 * the response to a label change sees it.
 *
 * @param event_ids `label_events` of projects-svc
 * @throws DomainError unavailable `labels_pending` after `waitMs`, or shortly before the deadline of the call
 */
export async function awaitLabelChanges(
  { db }: Pick<Deps, 'db'>,
  event_ids: readonly string[],
  waitMs: number,
  { deadline, signal }: Pick<CallContext, 'deadline' | 'signal'>,
): Promise<void> {
  if (event_ids.length === 0) return
  const end = Math.min(Date.now() + waitMs, deadline - answerMs)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    if ((await listUnhandled(db, group, event_ids)).length === 0) return
    if (Date.now() + pauseMs > end) throw pending()
    await sleep(pauseMs, undefined, { signal })
  }
}

const pending = () =>
  new DomainError(
    'unavailable',
    'The labels were changed, and the annotations are still being updated for that. Try again in a few seconds.',
    { code: 'labels_pending', retry_after: 5 },
  )
