import { useLocation, useParams } from 'wouter'
import { curlOf, Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { usePlace } from './data.ts'
import { FrameView } from './frame-view.tsx'
import { frameWithin, type Place } from './place.ts'
import './viewer.css'

/** Renders the page of a frame of a task or job, as named by the address. */
export function Viewer() {
  const [path] = useLocation()
  const { id, frame } = useParams()
  const of: Place = { kind: path.startsWith('/jobs') ? 'jobs' : 'tasks', id: Number(id) }
  const { place, error, refetch } = usePlace(of)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!place) return <Loading />
  if (place.span.last < place.span.first) return <NoFrames place={of} name={place.name} />
  const shown = frameWithin(place.span, Number(frame))
  return <FrameView place={of} name={place.name} span={place.span} frame={shown} />
}

function NoFrames({ place, name }: { place: Place; name: string }) {
  return (
    <Page title={name}>
      <Empty
        reticle={`reticle task upload ${place.id} pictures/`}
        curl={curlOf(`/tasks/${place.id}/data`, '-F client_files[0]=@0001.jpg')}
      >
        There are no frames here yet. Pictures are uploaded on the page of the task.
      </Empty>
    </Page>
  )
}
