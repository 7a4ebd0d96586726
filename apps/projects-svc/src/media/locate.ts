import type { media } from '@reticle/contracts/api/media'
import type { OperationInput } from '@reticle/contracts/api/operation'
import type { LocatedChunk, LocatedFrame } from '@reticle/contracts/rest/facts'
import type { Principal } from '@reticle/contracts/rest/principal'
import { invalidText, notFound } from '@reticle/kit'
import type { Kysely } from 'kysely'
import type { FactsTarget } from '../access/repo-facts.ts'
import type { DataSetRow, ProjectsDb } from '../db/schema.ts'
import { noDataText } from '../tasks/messages.ts'
import { framesOfChunk } from './chunk.ts'
import { withRelated } from './messages.ts'
import { findDataSet, findFrame } from './repo.ts'
import { detached } from './source.ts'
import { findViewed, noPreview, type Viewed } from './viewed.ts'

type Db = Kysely<ProjectsDb>

/**
 * Finds one frame, or with `preview` the middle one, of a target that the caller may view.
 *
 * @throws DomainError not_found, forbidden; invalid for a frame outside the target and for a task without media
 * (not_found for its preview); conflict when its cloud storage was detached
 */
export async function locateFrame(
  db: Db,
  principal: Principal,
  { number, preview, ...target }: OperationInput<(typeof media)['locateFrame']>,
): Promise<LocatedFrame> {
  const viewed = await findViewed(db, principal, target)
  if (viewed.size === 0) throw preview ? noPreview() : invalidText(noDataText)
  if (!preview) assertShown(viewed, target, number)
  const found = await findFrame(db, viewed.task_id, preview ? middleOf(viewed) : number)
  if (!found) throw notFound()
  const { storage, cloud_storage_id, ...frame } = found
  assertAttached({ storage, cloud_storage_id })
  return { ...withRelated(frame), ...outside(storage) }
}

/** The object store is the default, which the response omits. */
const outside = (storage: DataSetRow['storage']) => (storage === 'local' ? {} : { storage })

function assertShown(
  { start, stop, chosen }: Viewed,
  { target }: FactsTarget,
  number: number,
): void {
  if (number < start || number > stop)
    throw invalidText(
      `The frame ${number} is not in this ${target}: it has the frames ${start} to ${stop}`,
    )
  if (chosen && !chosen.frames.includes(number))
    throw invalidText(
      `The frame ${number} is not in this job: it is none of its ${chosen.frames.length} frames of ground truth`,
    )
}

/** Also prevents reads of cached images after the storage was detached. */
function assertAttached({
  storage,
  cloud_storage_id,
}: Pick<DataSetRow, 'storage' | 'cloud_storage_id'>): void {
  if (storage === 'cloud_storage' && cloud_storage_id === null) throw detached()
}

function middleOf({ start, stop, chosen }: Viewed): number {
  const middle = start + Math.floor((stop - start) / 2)
  return chosen?.frames[Math.floor((chosen.frames.length - 1) / 2)] ?? middle
}

/**
 * Finds the frames of one chunk of a target that the caller may view.
 *
 * @throws DomainError not_found, forbidden; invalid for a missing chunk and for a task without media; conflict when
 * its cloud storage was detached
 */
export async function locateChunk(
  db: Db,
  principal: Principal,
  { number, index, ...target }: OperationInput<(typeof media)['locateChunk']>,
): Promise<LocatedChunk> {
  const viewed = await findViewed(db, principal, target)
  if (viewed.size === 0) throw invalidText(noDataText)
  const dataSet = await findDataSet(db, viewed.task_id)
  if (!dataSet) throw notFound()
  assertAttached(dataSet)
  const { task_id, chunk_size, image_quality, data_revision, chunks_updated_date, storage } =
    dataSet
  return {
    ...framesOfChunk(viewed, chunk_size, { number, index }),
    task_id,
    image_quality,
    data_revision,
    chunks_updated_date: chunks_updated_date.toISOString(),
    ...outside(storage),
  }
}
