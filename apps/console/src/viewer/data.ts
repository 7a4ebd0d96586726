import type { AnnotationSet, Job, Label, Task } from '@reticle/sdk'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { queries, useAnswer } from '../api/queries.ts'
import {
  jobPageOf,
  neighboursOf,
  type PictureQuality,
  type Span,
  type ViewedTarget,
} from './viewed-target.ts'

/** Data of the viewer. Only the current frame and its neighbours are loaded. */

const minuteMs = 60_000

/** Queries the name and frame range of a task or job. */
export function useViewedTarget({ kind, id }: ViewedTarget) {
  const task = useAnswer(api.getTask, { id }, { enabled: kind === 'tasks' })
  const job = useAnswer(api.getJob, { id }, { enabled: kind === 'jobs' })
  const { error, refetch } = kind === 'tasks' ? task : job
  const summary = task.data ? ofTask(task.data) : job.data && ofJob(job.data)
  return { summary, error, refetch }
}

const ofTask = ({ name, size }: Task) => ({ name, span: { first: 0, last: size - 1 } })
const ofJob = ({ id, task_name, start_frame, stop_frame }: Job) => ({
  name: task_name === null ? `Job ${id}` : `${task_name}, job ${id}`,
  span: { first: start_frame, last: stop_frame },
})

/** Queries all labels of a task or job; there are never many. */
export function useLabels({ kind, id }: ViewedTarget) {
  return useQuery({
    queryKey: ['labels of', kind, id],
    queryFn: async ({ signal }) => {
      const labels: Label[] = []
      const input = { ...(kind === 'tasks' ? { task_id: id } : { job_id: id }), page_size: 500 }
      for await (const label of api.listLabels.each(input, { signal })) labels.push(label)
      return labels
    },
    staleTime: minuteMs,
  })
}

const setOf = ({ kind, id }: ViewedTarget, frame: number) =>
  queryOptions({
    queryKey: ['annotations of', kind, id, frame],
    queryFn: ({ signal }): Promise<AnnotationSet> => {
      const read = kind === 'tasks' ? api.getTaskAnnotations : api.getJobAnnotations
      return read({ id, frames: frame, interpolate: true }, { signal })
    },
    gcTime: minuteMs,
  })

const pictureOf = ({ kind, id }: ViewedTarget, frame: number, quality: PictureQuality) =>
  queryOptions({
    queryKey: ['picture of', kind, id, frame, quality],
    queryFn: async ({ signal }) => {
      const read = kind === 'tasks' ? api.getTaskData : api.getJobData
      const answer = await read({ id, type: 'frame', number: frame, quality }, { signal })
      return createImageBitmap(await answer.blob()).catch(() => {
        throw new Error(
          'This browser cannot show images of this type. Clear “Original” to see the compressed image.',
        )
      })
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: minuteMs / 2, // frames use much memory
  })

/** Queries a frame: its picture and annotations. */
export function useFrame(target: ViewedTarget, frame: number, quality: PictureQuality) {
  return {
    picture: useQuery(pictureOf(target, frame, quality)),
    set: useQuery(setOf(target, frame)),
  }
}

/** Loads the frames that are probably shown next. */
export function fetchNeighbours(
  target: ViewedTarget,
  span: Span,
  frame: number,
  quality: PictureQuality,
): void {
  for (const next of neighboursOf(span, frame)) {
    void queries.prefetchQuery(pictureOf(target, next, quality))
    void queries.prefetchQuery(setOf(target, next))
  }
}

const jobsPerPage = 100

/**
 * Queries name, size and deletion of a frame. For a frame of a task its job is queried, whose meta data lists fewer
 * frames.
 */
export function useFrameMeta(target: ViewedTarget, frame: number) {
  const isTask = target.kind === 'tasks'
  const task = useAnswer(api.getTask, { id: target.id }, { enabled: isTask }).data
  const jobs = useAnswer(
    api.listJobs,
    {
      task_id: target.id,
      type: 'annotation' as const,
      sort: 'id',
      page: task ? jobPageOf(task, frame, jobsPerPage) : 1,
      page_size: jobsPerPage,
    },
    { enabled: task !== undefined },
  ).data?.results
  const own = useAnswer(api.getJob, { id: target.id }, { enabled: !isTask }).data
  const job = own ?? jobs?.find((one) => frame >= one.start_frame && frame <= one.stop_frame)
  const meta = useAnswer(api.getJobDataMeta, { id: job?.id ?? 0 }, { enabled: job !== undefined })
  if (!job || !meta.data) return undefined
  const { frames, deleted_frames } = meta.data
  const record = frames[frame - job.start_frame] ?? frames[0]
  return { job_id: job.id, record, isDeleted: deleted_frames.includes(frame) }
}

/** Queries the issues of a frame. */
export function useIssues({ kind, id }: ViewedTarget, frame: number) {
  const of = kind === 'tasks' ? { task_id: id } : { job_id: id }
  return useAnswer(api.listIssues, { ...of, frame_id: frame, page_size: 100 }).data?.results ?? []
}
