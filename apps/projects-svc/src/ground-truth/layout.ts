import type { TaskValidationLayout } from '@reticle/contracts/rest/validation'
import { invalid, invalidText } from '@reticle/kit/call/errors'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectsDb, ValidationFrameRow } from '../db/schema.ts'
import { touchJob } from '../jobs/touch.ts'
import type { TaskView } from '../tasks/repo.ts'
import { touchTask } from '../tasks/touch.ts'
import { listValidationFrames, setDisabledFrames } from './repo.ts'

type Tx = Transaction<ProjectsDb>

/** Converts the validation frames of a task to its layout. */
export function toLayout(rows: readonly ValidationFrameRow[]): TaskValidationLayout {
  if (rows.length === 0) return { mode: null }
  return { mode: 'gt', validation_frames: rows.map(frameOf), disabled_frames: disabledOf(rows) }
}

const frameOf = ({ frame }: ValidationFrameRow) => frame
const disabledOf = (rows: readonly ValidationFrameRow[]) =>
  rows.filter(({ is_disabled }) => is_disabled).map(frameOf)

/**
 * Replaces the disabled validation frames of a locked task. The list is part of the meta of its ground-truth job, so
 * job and task emit updates, as for any change of meta. A change without effect emits nothing.
 *
 * @throws DomainError invalid for frames that are not validation frames, and without ground truth
 */
export async function changeDisabledFrames(
  tx: Tx,
  task: TaskView,
  wanted: readonly number[],
  cause: EventCause,
): Promise<TaskValidationLayout> {
  const rows = await listValidationFrames(tx, task.id)
  const [first] = rows
  if (!first) throw invalidText('The task has no ground truth, and so no frames to disable')
  assertValidation(rows, wanted)
  if (isSame(disabledOf(rows), wanted)) return toLayout(rows)
  await setDisabledFrames(tx, first.job_id, wanted)
  await touchJob(tx, first.job_id, cause)
  await touchTask(tx, task, cause)
  return toLayout(await listValidationFrames(tx, task.id))
}

function assertValidation(rows: readonly ValidationFrameRow[], wanted: readonly number[]): void {
  const known = new Set(rows.map(frameOf))
  const unknown = wanted.find((frame) => !known.has(frame))
  if (unknown !== undefined)
    throw invalid({ disabled_frames: `The frame ${unknown} is no validation frame.` })
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  const frames = new Set(other)
  return one.length === frames.size && one.every((frame) => frames.has(frame))
}
