import { useLocation, useParams } from 'wouter'
import { curlOf, Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { useViewedTarget } from './data.ts'
import { FrameView } from './frame-view.tsx'
import { frameWithin, type ViewedTarget } from './viewed-target.ts'
import './viewer.css'

/** Renders the page of a frame of a task or job, as named by the address. */
export function Viewer() {
  const [path] = useLocation()
  const { id, frame } = useParams()
  const target: ViewedTarget = { kind: path.startsWith('/jobs') ? 'jobs' : 'tasks', id: Number(id) }
  const { summary, error, refetch } = useViewedTarget(target)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!summary) return <Loading />
  if (summary.span.last < summary.span.first)
    return <NoFrames target={target} name={summary.name} />
  const shown = frameWithin(summary.span, Number(frame))
  return <FrameView target={target} name={summary.name} span={summary.span} frame={shown} />
}

function NoFrames({ target, name }: { target: ViewedTarget; name: string }) {
  return (
    <Page title={name}>
      <Empty
        reticle={`reticle task upload ${target.id} pictures/`}
        curl={curlOf(`/tasks/${target.id}/data`, '-F client_files[0]=@0001.jpg')}
      >
        There are no frames here yet. Pictures are uploaded on the page of the task.
      </Empty>
    </Page>
  )
}
