import type { ValidationParams } from '@reticle/contracts/rest/validation'
import { DomainError, invalidText } from '@reticle/kit/call/errors'
import type { Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { insertGroundTruth, listAnnotationRanges, listFramesNamed } from './repo.ts'
import { selectFrames } from './select.ts'

type Tx = Transaction<ProjectsDb>

/**
 * Inserts the ground truth requested with the media of a task, after its frames and jobs.
 *
 * @throws DomainError invalid with the text that becomes the message of the request
 */
export async function addRequestedGroundTruth(
  tx: Tx,
  { task_id, size }: { task_id: number; size: number },
  { frames: names, ...selection }: ValidationParams,
): Promise<void> {
  const numbers = names && (await numbersOf(tx, task_id, names))
  const jobs = await listAnnotationRanges(tx, task_id)
  const frames = withTextErrors(() =>
    selectFrames({ ...selection, frames: numbers }, { size, jobs }),
  )
  await insertGroundTruth(tx, { task_id, size, frames, assignee_id: null })
}

async function numbersOf(tx: Tx, task_id: number, names: readonly string[]): Promise<number[]> {
  const rows = await listFramesNamed(tx, task_id, names)
  const known = new Set(rows.map(({ name }) => name))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw invalidText(`validation_params: none of the images is called '${unknown}'`)
  return rows.map(({ frame }) => frame)
}

/** Converts a field error to one text, because the failure of a request has a message and no fields. */
function withTextErrors<R>(select: () => R): R {
  try {
    return select()
  } catch (thrown) {
    if (!(thrown instanceof DomainError)) throw thrown
    const [[key, text] = ['', '']] = Object.entries(Object(thrown.body))
    throw invalidText(`validation_params: ${key}: ${text}`)
  }
}
