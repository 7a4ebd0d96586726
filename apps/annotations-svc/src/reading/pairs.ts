import { decodeTrack } from '@reticle/contracts/row-lines'
import { copyOut } from '@reticle/kit/db/copy'
import type { Kysely } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import { openTrackFolder, type TrackPairs } from '../layout/tracks.ts'
import { type AnnotationTarget, isSequence } from '../targets/target.ts'
import { lineRows } from './lines.ts'
import { selectShared } from './store/select.ts'

/**
 * Finds the tracks of a task that are one object although several jobs contain them; none when jobs share no frames.
 */
export async function findPairs(
  db: Kysely<AnnotationsDb>,
  target: AnnotationTarget,
  signal?: AbortSignal,
): Promise<TrackPairs> {
  if (isSequence(target)) return new Map()
  const folder = openTrackFolder(target)
  const bytes = copyOut(db, selectShared(db, target), signal ? { signal } : {})
  for await (const rows of lineRows('track', bytes)) {
    for (const { columns } of rows) {
      const [origin, job, jobs = ''] = columns.slice(-3)
      const track = decodeTrack(columns)
      folder.add(Number(job), { track, origin: Number(origin), jobs: jobs.split(' ').map(Number) })
    }
  }
  return folder.finish()
}
