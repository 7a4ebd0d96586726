import type { Track } from '@reticle/contracts/rest/annotations'
import type { Label } from '@reticle/contracts/rest/labels'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { createDeletedFrameSearch } from '@reticle/formats/tracks/deleted-frames'

/** Tracks that an export leaves out because all frames on which they are visible were deleted. */
export interface DeletedTracks {
  count: number
  /** First tracks of them, up to a limit. */
  named: { id: number; label_id: number; frame: number }[]
}

interface Given {
  tracks: AsyncIterable<Track>
  /** Existing frames, ascending. */
  present: readonly number[]
  deleted: ReadonlySet<number>
  stopFrame: (track: Track) => number
}

const mostNamed = 20

export async function findDeletedTracks({
  tracks,
  present,
  deleted,
  stopFrame,
}: Given): Promise<DeletedTracks> {
  const found: DeletedTracks = { count: 0, named: [] }
  if (deleted.size === 0) return found
  const search = createDeletedFrameSearch({ present, deleted })
  for await (const track of tracks) {
    const frame = search(track.shapes, stopFrame(track))
    if (frame === undefined) continue
    found.count += 1
    const { id, label_id } = track
    if (found.named.length < mostNamed) found.named.push({ id: id ?? 0, label_id, frame })
  }
  return found
}

/** Names the tracks in the report of an export. */
export function noteDeletedTracks(
  report: ReportWriter,
  labels: readonly Label[],
  parts: readonly DeletedTracks[],
): void {
  const count = parts.reduce((sum, one) => sum + one.count, 0)
  if (count === 0) return
  const nameOf = new Map(labels.map(({ id, name }) => [id, name]))
  const named = parts.flatMap((one) => one.named).slice(0, mostNamed)
  const texts = named.map(
    ({ id, label_id, frame }) => `track ${id} ('${nameOf.get(label_id)}') from frame ${frame}`,
  )
  const rest = count > named.length ? ` and ${count - named.length} more` : ''
  const reason = `visible on deleted frames only: ${texts.join(', ')}${rest}`
  report.note('skipped', 'deleted-frame', reason, undefined, count)
}
