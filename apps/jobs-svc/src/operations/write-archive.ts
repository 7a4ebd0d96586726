import { trackZip } from '@reticle/formats/archive/zip-track'
import { ArchiveChanged, type ArchiveFile, writeZip } from '@reticle/formats/archive/zip-writer'
import { CannotGoOn, type PutProgress, stepBytes } from '@reticle/kit/blob/blob'
import { type Checkpoint, decodeMembers, encodeMembers } from '../work/checkpoint.ts'
import type { BackupWork, ExportWork } from '../work/request-work.ts'
import { resultKey } from '../work/result-key.ts'
import type { OperationDeps } from './operation.ts'

type Archived = Pick<
  ExportWork | BackupWork,
  'request_uuid' | 'lease_token' | 'created_date' | 'checkpoint'
>

/**
 * Oldest checkpoint that is resumed. Unfinished objects are swept a day after their start (`sweeper.ts`), reading
 * precedes writing, and an attempt lasts at most four hours.
 */
const longestMs = 12 * 3_600_000

/**
 * Writes the archive of an export into the object store, and resumes the last attempt if possible. The documents are
 * written again for comparison and must be unchanged; otherwise, or when the object is missing, the archive starts from
 * the beginning.
 *
 * @param files creates the files, again at each call
 */
export async function writeArchive(
  work: Archived,
  deps: OperationDeps,
  files: () => AsyncIterable<ArchiveFile>,
): Promise<{ key: string; size: number }> {
  const { checkpoint } = work
  if (!checkpoint) return write(work, deps, files(), null)
  if (Date.now() - checkpoint.begun_date.getTime() < longestMs)
    try {
      return await write(work, deps, files(), checkpoint)
    } catch (thrown) {
      const isUseless = thrown instanceof CannotGoOn || thrown instanceof ArchiveChanged
      if (!isUseless) throw thrown
    }
  await giveUp(checkpoint, deps)
  return write(work, deps, files(), null)
}

/** Discards a checkpoint: first its reference, because an attempt without the lease must not remove the object. */
async function giveUp({ key }: Checkpoint, { blobs, saveCheckpoint }: OperationDeps) {
  await saveCheckpoint(null)
  await blobs.abandon(key)
  await blobs.remove(key)
}

async function write(
  work: Archived,
  deps: OperationDeps,
  files: AsyncIterable<ArchiveFile>,
  former: Checkpoint | null,
): Promise<{ key: string; size: number }> {
  const { blobs, signal, saveCheckpoint, checkpoints } = deps
  const { key, begun_date } = former ?? { key: resultKey(work), begun_date: new Date() }
  const track = trackZip(stepBytes)
  let due = performance.now() + (former ? checkpoints.everyMs : checkpoints.afterMs)
  let saving: Promise<void> | undefined

  const save = async (begun: PutProgress) => {
    const known = track.upTo(begun.size)
    if (!known) return
    const { crc } = known
    const members = encodeMembers(known.members)
    await saveCheckpoint({ ...begun, key, begun_date, crc, members })
    track.keep(begun.size)
  }
  const onStored = (begun: PutProgress) => {
    due = performance.now() + checkpoints.everyMs
    saving = save(begun)
      .catch(() => undefined) // the previous checkpoint stays
      .finally(() => {
        saving = undefined
      })
  }
  const isDue = () => !saving && performance.now() >= due
  const steps = { from: former ?? undefined, isDue, onStored, signal }
  const stored = former && { ...former, members: decodeMembers(former.members) }
  const bytes = writeZip(files, work.created_date, { stored: stored ?? undefined, track })
  try {
    const { size } = await blobs.putInSteps(key, bytes, steps)
    return { key, size }
  } finally {
    await saving // before the outcome: a later checkpoint would be one of an ended run
  }
}
