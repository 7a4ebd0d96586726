import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { BackupJob, BackupProject, BackupTask } from '@reticle/contracts/rest/backups'
import type { Attribute, Label, Sublabel } from '@reticle/contracts/rest/labels'
import { stepOf } from '@reticle/contracts/rest/sources'
import { compareNames } from '../media/order.ts'
import type { Staged } from '../operations/staging.ts'

/** The only version of the archive format. */
export const version = '1.0'
/** Producer of the archive and its interface version. */
const generator = 'service/2.58.1'

/** Formats `project.json`. */
export function formatProjectJson(
  { name, bug_tracker, status }: BackupProject,
  labels: readonly Label[],
): string {
  const written = toArchiveLabels(labels)
  return JSON.stringify({ name, bug_tracker, status, labels: written, version, generator })
}

/** Input of `task.json`. */
export interface TaskJsonInput {
  task: BackupTask
  labels: readonly Label[]
  frames: Staged
  /** Media is only listed. */
  isListOnly: boolean
}

/** Formats `task.json`. */
export async function formatTaskJson({
  task,
  labels,
  frames,
  isListOnly,
}: TaskJsonInput): Promise<string> {
  const { name, bug_tracker, status, subset, jobs, has_custom_segments } = task
  const names = await namesIn(frames, task)
  return JSON.stringify({
    name,
    bug_tracker,
    status,
    subset,
    version,
    generator,
    labels: toArchiveLabels(labels),
    data: {
      ...dataOf(task, names, isListOnly),
      storage: isListOnly ? 'cloud_storage' : 'local',
      ...(has_custom_segments && { custom_segments: true }),
      ...layoutOf(jobs, names.of),
    },
    jobs: jobs.map((job) => jobOf(job, has_custom_segments ? names.of : undefined)),
  })
}

interface FrameNames {
  count: number
  isSorted: boolean
  /** Names by frame number, of the frames that are named. */
  of: ReadonlyMap<number, string>
}

/** Keeps only names that are written: of all frames when jobs list theirs, else those of ground truth. */
async function namesIn(
  frames: Staged,
  { jobs, has_custom_segments }: BackupTask,
): Promise<FrameNames> {
  const named = new Set(jobs.flatMap((job) => job.frames ?? []))
  const of = new Map<number, string>()
  let [count, isSorted, before] = [0, true, '']
  for await (const batch of decodeFrames(frames.read())) {
    for (const { name } of batch) {
      if (has_custom_segments || named.has(count)) of.set(count, name)
      isSorted &&= count === 0 || compareNames.lexicographical(before, name) < 0
      before = name
      count += 1
    }
  }
  return { count, isSorted, of }
}

/**
 * Describes the media. An archive of images contains only the selected frames, so its own selection is complete; the
 * original selection is stored under an additional key, unless the files were copied from a share or a bucket. A video
 * is complete.
 */
function dataOf({ data }: BackupTask, { count, isSorted }: FrameNames, isListOnly: boolean) {
  const { chunk_size, image_quality, start_frame, frame_filter, deleted_frames } = data
  const common = { chunk_size, image_quality, storage_method: 'cache', deleted_frames }
  const isChosen =
    (start_frame > 0 || frame_filter !== '') && (data.storage === 'local' || isListOnly)
  if (data.video_name !== null) {
    const stop_frame = start_frame + (count - 1) * stepOf(frame_filter)
    const chosen = { start_frame, stop_frame, ...(frame_filter !== '' && { frame_filter }) }
    return { ...common, ...chosen, chunk_type: 'video', sorting_method: 'lexicographical' }
  }
  return {
    ...common,
    start_frame: 0,
    stop_frame: count - 1,
    chunk_type: 'imageset',
    sorting_method: isSorted ? 'lexicographical' : 'predefined',
    ...(isChosen && { source_frames: { start_frame, frame_filter } }),
  }
}

type Names = FrameNames['of']

function layoutOf(jobs: readonly BackupJob[], names: Names) {
  const truth = jobs.find(({ type }) => type === 'ground_truth')
  if (!truth) return {}
  const frames = (truth.frames ?? []).flatMap((frame) => names.get(frame) ?? [])
  return { validation_layout: { mode: 'gt', frames } }
}

/**
 * Describes a job.
 *
 * @param names absent: jobs do not list their files
 */
function jobOf({ id: _, disabled_frames = [], ...job }: BackupJob, names?: Names) {
  const isListed = names !== undefined && job.type !== 'ground_truth'
  return {
    ...job,
    ...(disabled_frames.length > 0 && { disabled_frames }),
    ...(isListed && { files: filesOf(job, names) }),
  }
}

function filesOf({ start_frame, stop_frame }: BackupJob, names: Names): string[] {
  const count = stop_frame - start_frame + 1
  const frames = Array.from({ length: count }, (_, index) => start_frame + index)
  return frames.flatMap((frame) => names.get(frame) ?? [])
}

/** Converts labels to the form of archives: by names, without ids. */
const toArchiveLabels = (labels: readonly Label[]) => labels.map(toArchiveLabel)

function toArchiveLabel({ sublabels, svg, ...label }: Label) {
  return {
    ...fieldsOf(label),
    sublabels: sublabels.map(fieldsOf),
    ...(svg !== undefined && { svg: named(svg, sublabels) }),
  }
}

type Fields = Pick<Sublabel, 'name' | 'color' | 'type' | 'attributes'>

function fieldsOf({ name, color, type, attributes }: Fields) {
  return { name, color, type, attributes: attributes.map(withoutId) }
}

const withoutId = ({ id: _, ...attribute }: Attribute) => attribute

/** Replaces the ids of sublabels in a drawing by names. */
function named(svg: string, sublabels: readonly Sublabel[]): string {
  const names = new Map(sublabels.map(({ id, name }) => [String(id), name]))
  return svg.replace(/data-label-id="(\d+)"/g, (whole, id: string) => {
    const name = names.get(id)
    return name === undefined ? whole : `data-label-name="${escaped(name)}"`
  })
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (one) => entities[one] ?? one)
