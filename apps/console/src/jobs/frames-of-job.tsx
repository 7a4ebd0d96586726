import type { Job } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { framesOfJob } from '../panels/frames/frame-sequence.ts'
import { Frames } from '../panels/frames/frames.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { isWhole } from './job-frames.ts'

/** Shows the frames of a job. The frames of a ground-truth job are listed only in its meta data. */
export function FramesOfJob({ job }: { job: Job }) {
  const isChosen = !isWhole(job) && job.frame_count > 0
  const { data: meta, error } = useAnswer(api.getJobDataMeta, { id: job.id }, { enabled: isChosen })
  if (error) return <Failure error={error} />
  if (isChosen && !meta) return <Loading />
  return <Frames frames={framesOfJob(job, meta)} />
}
